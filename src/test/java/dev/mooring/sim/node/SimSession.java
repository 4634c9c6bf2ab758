package dev.mooring.sim.node;

import dev.mooring.runtime.ContainerStreams.Session;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One that has ended as soon as it began. */
record SimSession(int exit) implements Session {
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
