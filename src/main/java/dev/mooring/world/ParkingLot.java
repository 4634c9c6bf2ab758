package dev.mooring.world;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where taps of one resource wait for its next event. Thread-safe.
 *
 * <p>No wake-up is lost: a tap parks with the revision it has seen up to, under the same lock under which the dispatcher notes how far it has
 * woken; if that is further, the tap is sent back to look.
 */
final class ParkingLot {
    private final AtomicInteger all;
    private Set<Tap> parked = new LinkedHashSet<>();
    private long woken;

    /** @param all counts the taps parked in all lots */
    ParkingLot(AtomicInteger all) {
        this.all = all;
    }

    /** Whether the tap now waits; if not, there is something after {@code seen} to look at. */
    synchronized boolean park(Tap tap, long seen) {
        if (woken > seen) {
            return false;
        }
        if (parked.add(tap)) {
            all.incrementAndGet();
        }
        return true;
    }

    synchronized void leave(Tap tap) {
        if (parked.remove(tap)) {
            all.decrementAndGet();
        }
    }

    /** Wakes all for the events from {@code first} on, of which the newest is {@code last}. */
    void wake(long first, long last) {
        Set<Tap> waiting;
        synchronized (this) {
            woken = last;
            if (parked.isEmpty()) {
                return;
            }
            waiting = parked;
            parked = new LinkedHashSet<>();
            all.addAndGet(-waiting.size());
        }
        for (Tap tap : waiting) {
            tap.wake(first);
        }
    }
}
