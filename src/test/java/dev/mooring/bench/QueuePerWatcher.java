package dev.mooring.bench;

import dev.mooring.world.WorldEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The yardstick for WatchHub: a bounded queue per watcher, filled by a loop and drained by a small thread pool. Unlike
 * the hub, one slow watcher delays the loop.
 */
final class QueuePerWatcher implements AutoCloseable {
    /** Large enough for a burst: a loop that waits for space would be a weak yardstick. */
    private static final int CAPACITY = 4096;

    private final List<WatcherQueue> queues = new ArrayList<>();
    private final ExecutorService[] threads;

    /** Uses as many threads as the scheduler of the watchers. */
    QueuePerWatcher(WatcherGroup watchers) {
        int threadCount = Runtime.getRuntime().availableProcessors();
        threads = new ExecutorService[threadCount];
        for (int i = 0; i < threadCount; i++) {
            threads[i] = Executors.newSingleThreadExecutor(r -> RunningLedger.daemon(r, "bench-queues"));
        }
        for (int i = 0; i < watchers.size(); i++) {
            queues.add(new WatcherQueue(watchers, i, threads[i % threadCount]));
        }
    }

    void publish(WorldEvent event) {
        for (WatcherQueue queue : queues) {
            queue.post(event);
        }
    }

    private static final class WatcherQueue {
        private final WatcherGroup watchers;
        private final int watcher;
        private final ExecutorService thread;
        private final ArrayBlockingQueue<WorldEvent> queue = new ArrayBlockingQueue<>(CAPACITY);
        private final AtomicBoolean scheduled = new AtomicBoolean();

        WatcherQueue(WatcherGroup watchers, int watcher, ExecutorService thread) {
            this.watchers = watchers;
            this.watcher = watcher;
            this.thread = thread;
        }

        void post(WorldEvent event) {
            while (!queue.offer(event)) {
                Thread.onSpinWait();
            }
            if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
                thread.execute(this::drain);
            }
        }

        private void drain() {
            scheduled.set(false);
            for (WorldEvent event = queue.poll(); event != null; event = queue.poll()) {
                watchers.onEvent(watcher, event);
            }
        }
    }

    @Override
    public void close() {
        for (ExecutorService thread : threads) {
            thread.shutdown();
        }
    }
}
