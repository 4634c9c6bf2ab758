package dev.mooring.bench;

import dev.mooring.world.WorldEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The plain way to hand events to many: a bounded queue for each watcher, which a loop fills and a thread of a small pool empties. The
 * yardstick of the WatchHub. It holds the loop up as soon as one watcher is slow, which the hub does not.
 */
final class Mailboxes implements AutoCloseable {
    /** Room for a whole burst: a loop that waits for room would be an easy yardstick. */
    private static final int CAPACITY = 4096;

    private final List<Mailbox> mailboxes = new ArrayList<>();
    private final ExecutorService[] threads;

    /** With as many threads as the scheduler of the watchers has. */
    Mailboxes(Audience audience) {
        int threadCount = Runtime.getRuntime().availableProcessors();
        threads = new ExecutorService[threadCount];
        for (int i = 0; i < threadCount; i++) {
            threads[i] = Executors.newSingleThreadExecutor(r -> RunningLedger.daemon(r, "bench-mailboxes"));
        }
        for (int i = 0; i < audience.size(); i++) {
            mailboxes.add(new Mailbox(audience, i, threads[i % threadCount]));
        }
    }

    void deliver(WorldEvent event) {
        for (Mailbox mailbox : mailboxes) {
            mailbox.post(event);
        }
    }

    private static final class Mailbox {
        private final Audience audience;
        private final int watcher;
        private final ExecutorService thread;
        private final ArrayBlockingQueue<WorldEvent> queue = new ArrayBlockingQueue<>(CAPACITY);
        private final AtomicBoolean scheduled = new AtomicBoolean();

        Mailbox(Audience audience, int watcher, ExecutorService thread) {
            this.audience = audience;
            this.watcher = watcher;
            this.thread = thread;
        }

        void post(WorldEvent event) {
            while (!queue.offer(event)) {
                Thread.onSpinWait();
            }
            if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
                thread.execute(this::empty);
            }
        }

        private void empty() {
            scheduled.set(false);
            for (WorldEvent event = queue.poll(); event != null; event = queue.poll()) {
                audience.hear(watcher, event);
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
