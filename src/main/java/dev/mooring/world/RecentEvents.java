package dev.mooring.world;

import dev.mooring.model.Change;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The newest events, bounded in number and bytes, shared by all watchers. One thread adds; any number of threads read
 * without a lock. An evicted event is not found; the reader falls back to the log.
 */
final class RecentEvents {
    /** Approximate memory of an event besides the JSON of its objects. */
    private static final int OVERHEAD = 200;

    private final AtomicReferenceArray<WorldEvent> slots;
    private final int mask;
    private final long maxBytes;
    private long bytes;
    private long oldest = 1;
    private long newest;

    RecentEvents(int maxEvents, long maxBytes) {
        int capacity = Integer.highestOneBit(Math.max(2, maxEvents));
        this.slots = new AtomicReferenceArray<>(capacity);
        this.mask = capacity - 1;
        this.maxBytes = maxBytes;
    }

    /** Appends the next event. Called by one thread. */
    void add(WorldEvent event) {
        if (event.revision() != newest + 1) {
            clear(event.revision());
        }
        newest = event.revision();
        bytes += size(event);
        while (oldest < newest && (newest - oldest > mask || bytes > maxBytes)) {
            forgetOldest();
        }
        slots.set(slot(newest), event);
    }

    Optional<WorldEvent> get(long revision) {
        WorldEvent event = slots.get(slot(revision));
        return event != null && event.revision() == revision ? Optional.of(event) : Optional.empty();
    }

    private void clear(long next) {
        while (oldest <= newest) {
            forgetOldest();
        }
        oldest = next;
    }

    private void forgetOldest() {
        WorldEvent event = slots.getAndSet(slot(oldest), null);
        if (event != null) {
            bytes -= size(event);
        }
        oldest++;
    }

    private int slot(long revision) {
        return (int) revision & mask;
    }

    /**
     * Returns the memory of an event: the object after, its encoded watch line and the object before may be held by the
     * event alone.
     */
    private static long size(WorldEvent event) {
        long size = OVERHEAD;
        for (Change change : event.event().changes()) {
            size += OVERHEAD + 3L * change.object().json().length;
        }
        return size;
    }
}
