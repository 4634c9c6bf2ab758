package dev.mooring.runtime.docker.stream;

import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.ContainerStreams.Sink;
import dev.mooring.runtime.EngineException;
import java.io.IOException;

/** Takes what a process wrote, on the session's thread. Ends the session by throwing. */
interface Output {
    void take(Channel channel, byte[] bytes) throws EngineException, InterruptedException;

    /** Whatever a sink throws ends the session. */
    static Output to(Sink sink) {
        return (channel, bytes) -> {
            try {
                sink.output(channel, bytes);
            } catch (IOException | RuntimeException e) {
                throw new EngineException(
                        EngineException.Kind.FAILED, "The output was not taken any more: " + e.getMessage(), e);
            }
        };
    }
}
