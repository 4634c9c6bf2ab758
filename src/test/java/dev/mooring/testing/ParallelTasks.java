package dev.mooring.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs independent parts of a test two at a time, in the order of submission: most of their time is waiting. The parts
 * must not share anything, not even a server.
 */
public final class ParallelTasks implements AutoCloseable {
    private final ExecutorService threads = Executors.newFixedThreadPool(2, work -> {
        Thread thread = new Thread(work, "parallel-task");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Submits a task.
     *
     * @return waits for the result; throws the task's exception
     */
    public <T> Callable<T> submit(Callable<T> task) {
        Future<T> future = threads.submit(task);
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
