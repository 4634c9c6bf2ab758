package dev.mooring.node.probe;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Runs at most N asynchronous tasks concurrently and queues the others. Never blocks. Thread-safe. */
final class ConcurrencyLimiter {
    private final int limit;
    private final Deque<Supplier<CompletionStage<?>>> waiting = new ArrayDeque<>();
    private int running;

    ConcurrencyLimiter(int most) {
        this.limit = most;
    }

    /**
     * Runs the task now or when a slot is free.
     *
     * @param task starts the work, which ends when the returned stage completes; must not throw
     */
    void run(Supplier<CompletionStage<?>> task) {
        synchronized (this) {
            waiting.add(task);
        }
        begin();
    }

    private void begin() {
        for (Supplier<CompletionStage<?>> task = next(); task != null; task = next()) {
            task.get().whenComplete((done, failure) -> {
                release();
                begin();
            });
        }
    }

    private synchronized Supplier<CompletionStage<?>> next() {
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
