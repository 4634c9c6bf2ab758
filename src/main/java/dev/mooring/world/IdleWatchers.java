package dev.mooring.world;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The idle cursors of one resource, which wait for its next event. Thread-safe.
 *
 * <p>No wake-up is lost: a cursor is added with the revision it has read up to, under the same lock under which the
 * dispatcher records how far it has notified. If that is further, the cursor is not added and must read again.
 */
final class IdleWatchers {
    private final AtomicInteger idleCount;
    private Set<WatchCursor> cursors = new LinkedHashSet<>();
    private long wokenRevision;

    /** @param all counts the idle cursors of all resources */
    IdleWatchers(AtomicInteger all) {
        this.idleCount = all;
    }

    /** Adds an idle cursor. Returns false if there are events after {@code seen}, which the cursor must read first. */
    synchronized boolean add(WatchCursor cursor, long seen) {
        if (wokenRevision > seen) {
            return false;
        }
        if (cursors.add(cursor)) {
            idleCount.incrementAndGet();
        }
        return true;
    }

    synchronized void remove(WatchCursor cursor) {
        if (cursors.remove(cursor)) {
            idleCount.decrementAndGet();
        }
    }

    /** Notifies all cursors of the events from {@code first} to {@code last}. */
    void wake(long first, long last) {
        Set<WatchCursor> waiting;
        synchronized (this) {
            wokenRevision = last;
            if (cursors.isEmpty()) {
                return;
            }
            waiting = cursors;
            cursors = new LinkedHashSet<>();
            idleCount.addAndGet(-waiting.size());
        }
        for (WatchCursor cursor : waiting) {
            cursor.wake(first);
        }
    }
}
