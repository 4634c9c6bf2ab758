package dev.mooring.runtime.docker.stream;

import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.EngineException;
import java.io.IOException;
import java.util.Arrays;

/** Turns what an engine sends into what a process wrote. Used by one thread. */
interface Decoder {
    /** Hands all that is in there on, in as few pieces as keep the order. */
    void decode(byte[] bytes, int count, Output output) throws IOException, InterruptedException, EngineException;

    /** Nothing more comes. */
    void end() throws IOException;

    /** Of a process with a terminal: it comes as it is. */
    static Decoder raw() {
        return new Decoder() {
            @Override
            public void decode(byte[] bytes, int count, Output output) throws EngineException, InterruptedException {
                output.take(Channel.STDOUT, Arrays.copyOf(bytes, count));
            }

            @Override
            public void end() {
                // Any end is one.
            }
        };
    }
}
