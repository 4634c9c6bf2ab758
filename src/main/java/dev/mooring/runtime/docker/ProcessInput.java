package dev.mooring.runtime.docker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Writes to the standard input of a process. Used by one thread at a time. */
interface ProcessInput {
    void write(Connection connection, byte[] bytes) throws IOException;

    void end(Connection connection) throws IOException;

    /** Discards input: an attached container without standard input. */
    static ProcessInput dropped() {
        return new ProcessInput() {
            @Override
            public void write(Connection connection, byte[] bytes) {
                // It would never be read, and would fill up the connection.
            }

            @Override
            public void end(Connection connection) {
                // Nothing to close.
            }
        };
    }

    /** A pipe whose close the process reads as end of file. */
    static ProcessInput pipe() {
        return new ProcessInput() {
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
     * A pipe that stays open after its writer: another client may attach later. A half-close would make the engine
     * close the output, too.
     */
    static ProcessInput lastingPipe() {
        return new ProcessInput() {
            @Override
            public void write(Connection connection, byte[] bytes) throws IOException {
                connection.write(bytes);
            }

            @Override
            public void end(Connection connection) {
                // The process waits for the next writer.
            }
        };
    }

    /**
     * A terminal, which is ended by a control character: once at the start of a line, otherwise twice. A half-close
     * would make the engine close the output, too, and lose the remaining output of the process.
     */
    static ProcessInput terminal() {
        return new ProcessInput() {
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
