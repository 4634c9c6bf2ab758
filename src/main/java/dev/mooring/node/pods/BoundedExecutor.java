package dev.mooring.node.pods;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs at most N tasks concurrently; queued tasks hold no thread. Thread-safe; never blocks. */
final class BoundedExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(BoundedExecutor.class);

    private final int limit;
    private final Executor threads;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int running;

    /**
     * Creates an executor.
     *
     * @param threads runs each task immediately on its own thread
     */
    BoundedExecutor(int most, Executor threads) {
        this.limit = most;
        this.threads = threads;
    }

    /** Runs a task now or when a slot is free; drops it at shutdown. */
    void run(Runnable task) {
        synchronized (this) {
            waiting.add(task);
        }
        begin();
    }

    private void begin() {
        for (Runnable task = next(); task != null; task = next()) {
            Runnable now = task;
            try {
                threads.execute(() -> {
                    try {
                        now.run();
                    } finally {
                        release();
                        begin();
                    }
                });
            } catch (RejectedExecutionException e) {
                LOG.debug("Executor is shut down; dropping queued task");
                release();
            }
        }
    }

    private synchronized Runnable next() {
        if (running == limit || waiting.isEmpty()) {
            return null;
        }
        running++;
        return waiting.poll();
    }

    private synchronized void release() {
        running--;
    }
}
