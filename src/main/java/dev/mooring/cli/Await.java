package dev.mooring.cli;

import io.vertx.core.Future;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Waits for Vert.x from the command's own thread, which is no event loop. */
final class Await {
    private Await() {}

    /** Throws the failure itself if it is unchecked, without wrappers. */
    static <T> T result(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MooringException(ExitCode.FAILED, "Expected to wait for the server, but was interrupted", e);
        }
    }
}
