package dev.mooring.runtime.docker;

import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.ContainerStreams.Sink;
import dev.mooring.runtime.EngineException;
import java.io.IOException;
import java.util.Arrays;

/** Decodes an engine's stream into the output of a process. Used by one thread. */
interface StreamDecoder {
    /** Passes on all decoded output in order, in as few chunks as possible. */
    void decode(byte[] bytes, int count, ProcessOutput output)
            throws IOException, InterruptedException, EngineException;

    /** Handles the end of the stream. */
    void end() throws IOException;

    /** Returns a decoder for a process with a terminal: output is not framed. */
    static StreamDecoder raw() {
        return new StreamDecoder() {
            @Override
            public void decode(byte[] bytes, int count, ProcessOutput output)
                    throws EngineException, InterruptedException {
                output.accept(Channel.STDOUT, Arrays.copyOf(bytes, count));
            }

            @Override
            public void end() {
                // Any end is valid.
            }
        };
    }

    /** Receives the output of a process, on the session's thread. Throws to end the session. */
    interface ProcessOutput {
        void accept(Channel channel, byte[] bytes) throws EngineException, InterruptedException;

        /** Returns an output that passes on to a sink; any exception of the sink ends the session. */
        static ProcessOutput to(Sink sink) {
            return (channel, bytes) -> {
                try {
                    sink.output(channel, bytes);
                } catch (IOException | RuntimeException e) {
                    throw new EngineException(
                            EngineException.Kind.FAILED, "Failed to deliver the output: " + e.getMessage(), e);
                }
            };
        }
    }
}
