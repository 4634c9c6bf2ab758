package dev.mooring.node.volumemanager;

import dev.mooring.node.WorldPort;
import io.reactivex.rxjava3.core.Scheduler;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The dependencies of an executor.
 *
 * @param threads runs each task immediately on its own thread; the executor limits the concurrency
 * @param timers for deadlines and retries of writes
 */
public record WorkContext(WorldPort world, Clock clock, Scheduler timers, Executor threads) {
    /** Creates a pool of daemon threads that are started on demand and end when idle. */
    public static ExecutorService newThreads() {
        AtomicInteger numbers = new AtomicInteger();
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "mooring-work-" + numbers.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }
}
