package dev.mooring.server;

import io.vertx.core.Future;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Waits for Vert.x futures on the thread of a command, which is not an event loop. */
public final class Await {
    private Await() {}

    /** Returns the result; throws an unchecked failure without wrappers. */
    public static <T> T result(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MooringException(ExitCode.FAILED, "Interrupted while waiting for the server", e);
        }
    }
}
