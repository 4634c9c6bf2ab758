package dev.mooring.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Does independent parts of a test two at a time, in the order they were handed in, ahead of whoever asks what came of them: most of each is
 * waiting. For parts that share nothing, not even a server.
 */
public final class TwoAtOnce implements AutoCloseable {
    private final ExecutorService threads = Executors.newFixedThreadPool(2, work -> {
        Thread thread = new Thread(work, "two at once");
        thread.setDaemon(true);
        return thread;
    });

    /** What comes of it. Whoever asks waits, and gets what it threw as if he had done it himself. */
    public <T> Callable<T> begin(Callable<T> part) {
        Future<T> future = threads.submit(part);
        return () -> {
            try {
                return future.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Exception exception) {
                    throw exception;
                }
                throw (Error) e.getCause();
            }
        };
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
