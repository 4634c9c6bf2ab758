package dev.mooring.node.pods;

import dev.mooring.runtime.ContainerStreams;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A session that has ended. */
record EndedSession(int code) implements ContainerStreams.Session {
    @Override
    public void writeInput(byte[] bytes) {}

    @Override
    public void closeInput() {}

    @Override
    public void resize(int columns, int rows) {}

    @Override
    public CompletionStage<Integer> exitCode() {
        return CompletableFuture.completedFuture(code);
    }

    @Override
    public void close() {}
}
