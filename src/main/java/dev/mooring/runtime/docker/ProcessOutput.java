package dev.mooring.runtime.docker;

import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.ContainerStreams.Sink;
import dev.mooring.runtime.EngineException;
import java.io.IOException;

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
