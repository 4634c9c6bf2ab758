package dev.mooring.runtime.docker.stream;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** How a process is written to. Used by one thread at a time. */
interface Input {
    void write(Connection connection, byte[] bytes) throws IOException;

    void end(Connection connection) throws IOException;

    /** Somebody who does not listen: an attached container without standard input. */
    static Input dropped() {
        return new Input() {
            @Override
            public void write(Connection connection, byte[] bytes) {
                // Nobody would ever read it, and the connection would fill up.
            }

            @Override
            public void end(Connection connection) {
                // Nothing has begun.
            }
        };
    }

    /** A pipe that ends for the process when this end does. */
    static Input pipe() {
        return new Input() {
            @Override
            public void write(Connection connection, byte[] bytes) throws IOException {
                connection.write(bytes);
            }

            @Override
            public void end(Connection connection) throws IOException {
                connection.endOutput();
            }
        };
    }

    /**
     * A pipe that outlives who writes to it: somebody else may come and go on. Closing this direction would make the engine end the other one too.
     */
    static Input lastingPipe() {
        return new Input() {
            @Override
            public void write(Connection connection, byte[] bytes) throws IOException {
                connection.write(bytes);
            }

            @Override
            public void end(Connection connection) {
                // The process waits for the next who writes.
            }
        };
    }

    /**
     * A terminal ends by a character, as typed; at the start of a line once, else twice. Closing this direction would make the engine end the other one
     * too, with what the process still has to say.
     */
    static Input terminal() {
        return new Input() {
            private boolean insideLine;

            @Override
            public void write(Connection connection, byte[] bytes) throws IOException {
                connection.write(bytes);
                if (bytes.length > 0) {
                    byte last = bytes[bytes.length - 1];
                    insideLine = last != '\n' && last != '\r';
                }
            }

            @Override
            public void end(Connection connection) throws IOException {
                String endOfTransmission = insideLine ? "\u0004\u0004" : "\u0004";
                connection.write(endOfTransmission.getBytes(StandardCharsets.US_ASCII));
            }
        };
    }
}
