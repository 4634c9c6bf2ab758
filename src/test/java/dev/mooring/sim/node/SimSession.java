package dev.mooring.sim.node;

import dev.mooring.runtime.ContainerStreams.Session;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A session that has already ended. */
record SimSession(int exit) implements Session {
    @Override
    public void writeInput(byte[] bytes) {}

    @Override
    public void closeInput() {}

    @Override
    public void resize(int columns, int rows) {}

    @Override
    public CompletionStage<Integer> exitCode() {
        return CompletableFuture.completedFuture(exit);
    }

    @Override
    public void close() {}
}
