package dev.mooring.node.pod;

import dev.mooring.runtime.ContainerStreams;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Something that was run to its end. */
record EndedSession(int exit) implements ContainerStreams.Session {
    @Override
    public void input(byte[] bytes) {}

    @Override
    public void endInput() {}

    @Override
    public void resize(int columns, int rows) {}

    @Override
    public CompletionStage<Integer> ended() {
        return CompletableFuture.completedFuture(exit);
    }

    @Override
    public void close() {}
}
