package dev.mooring.bench;

import dev.mooring.world.WorldEvent;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Watchers that check that each event arrives once and in order, and that signal when all have seen a given revision.
 */
final class WatcherGroup {
    private static final long DEADLINE_SECONDS = 60;

    private final Watcher[] watchers;
    private volatile long awaited = Long.MAX_VALUE;
    private volatile CountDownLatch waiting = new CountDownLatch(0);
    private volatile String failure = "";

    /** @param seen the revision that all watchers have seen */
    WatcherGroup(int size, long seen) {
        watchers = new Watcher[size];
        for (int i = 0; i < size; i++) {
            watchers[i] = new Watcher(seen);
        }
    }

    int size() {
        return watchers.length;
    }

    /** Receives an event of one watcher; calls of a watcher are sequential. */
    void onEvent(int watcher, WorldEvent event) {
        watchers[watcher].onEvent(event);
    }

    void fail(Throwable problem) {
        failure = "A watch ended: " + problem;
    }

    /** Fails if a watcher has received an event. */
    void requireNoEvents() {
        for (Watcher watcher : watchers) {
            if (watcher.notified) {
                throw new IllegalStateException("A watcher received unexpected revision " + watcher.seen);
            }
        }
    }

    /** Sets the revision to wait for; call before it can arrive. */
    void expect(long revision) {
        waiting = new CountDownLatch(watchers.length);
        awaited = revision;
    }

    /** Waits until all watchers have seen the expected revision. */
    void await() throws InterruptedException {
        if (!waiting.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    "Revision " + awaited + " did not reach " + waiting.getCount() + " watchers in time");
        }
        if (!failure.isEmpty()) {
            throw new IllegalStateException(failure);
        }
    }

    private final class Watcher {
        private volatile boolean notified;
        private long seen;

        Watcher(long seen) {
            this.seen = seen;
        }

        void onEvent(WorldEvent event) {
            if (event.revision() != seen + 1) {
                failure = "A watcher received " + event + " instead of revision " + (seen + 1);
            }
            if (!notified) {
                notified = true;
            }
            seen = event.revision();
            if (seen == awaited) {
                waiting.countDown();
            }
        }
    }
}
