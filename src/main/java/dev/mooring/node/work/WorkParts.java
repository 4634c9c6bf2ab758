package dev.mooring.node.work;

import dev.mooring.node.WorldPort;
import io.reactivex.rxjava3.core.Scheduler;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the executor is connected to.
 *
 * @param threads gives each task a thread at once; how many there are at a time is the executor's business
 * @param timers for deadlines and for trying again to write down what happened
 */
public record WorkParts(WorldPort world, Clock clock, Scheduler timers, Executor threads) {
    /** Threads that come when needed, go after a while, and keep no process alive. */
    public static ExecutorService newThreads() {
        AtomicInteger numbers = new AtomicInteger();
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "mooring-work-" + numbers.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }
}
