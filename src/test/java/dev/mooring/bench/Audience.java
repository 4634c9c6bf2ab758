package dev.mooring.bench;

import dev.mooring.world.WorldEvent;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** So many watchers who see that each event comes once and in order, and tell when all of them have seen a certain one. */
final class Audience {
    private static final long DEADLINE_SECONDS = 60;

    private final Watcher[] watchers;
    private volatile long awaited = Long.MAX_VALUE;
    private volatile CountDownLatch waiting = new CountDownLatch(0);
    private volatile String disorder = "";

    /** @param seen the revision all of them know already */
    Audience(int size, long seen) {
        watchers = new Watcher[size];
        for (int i = 0; i < size; i++) {
            watchers[i] = new Watcher(seen);
        }
    }

    int size() {
        return watchers.length;
    }

    /** One watcher's ear; calls come one after another. */
    void hear(int watcher, WorldEvent event) {
        watchers[watcher].hear(event);
    }

    void fail(Throwable problem) {
        disorder = "A watch ended: " + problem;
    }

    /** Nobody may have heard anything. */
    void requireSilence() {
        for (Watcher watcher : watchers) {
            if (watcher.heard) {
                throw new IllegalStateException("Expected silence, but a watcher heard revision " + watcher.seen);
            }
        }
    }

    /** To be called before that revision can come. */
    void expect(long revision) {
        waiting = new CountDownLatch(watchers.length);
        awaited = revision;
    }

    /** Returns when all have heard what is expected. */
    void await() throws InterruptedException {
        if (!waiting.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Expected revision " + awaited + " to reach all watchers, but "
                    + waiting.getCount() + " of them wait for it");
        }
        if (!disorder.isEmpty()) {
            throw new IllegalStateException(disorder);
        }
    }

    private final class Watcher {
        private volatile boolean heard;
        private long seen;

        Watcher(long seen) {
            this.seen = seen;
        }

        void hear(WorldEvent event) {
            if (event.revision() != seen + 1) {
                disorder = "Expected revision " + (seen + 1) + ", but a watcher heard " + event;
            }
            if (!heard) {
                heard = true;
            }
            seen = event.revision();
            if (seen == awaited) {
                waiting.countDown();
            }
        }
    }
}
