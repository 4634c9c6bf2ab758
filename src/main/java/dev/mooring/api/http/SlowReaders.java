package dev.mooring.api.http;

import dev.mooring.api.MemoryLimits;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Tracks responses whose clients are slow to read, and bounds the memory they hold: bytes that were written but not
 * read, and objects still to be sent that the World has replaced. Up to half of the limit for unread bytes, no response
 * is aborted; above it, responses stalled for a second are aborted; above three quarters, the longest stalled ones; at
 * the limit, the next one to stall. Thread-safe.
 */
public final class SlowReaders {
    /** Read mark of a response that has no objects to send. */
    public static final long NO_OBJECTS = Long.MAX_VALUE;

    /** Time after which a client that has not read is considered too slow. */
    private static final long STALL_TIMEOUT_NANOS = 1_000_000_000;

    private final MemoryLimits limits;
    private final LongSupplier replacedBytes;
    private final LongSupplier nanoTime;

    /** Stalled responses, the longest stalled first. */
    private final Set<StalledResponse> stalled = new LinkedHashSet<>();

    /** Unread bytes of all stalled responses, including aborted ones that have not ended yet. */
    private long unread;

    /** Unread bytes of stalled responses that were not aborted. */
    private long stalledUnread;

    /** Lower bound of the read marks of all stalled responses. */
    private long lowestHeld = NO_OBJECTS;

    /**
     * @param replacedBytes {@code World.replacedBytes} of the newest World: total size of all objects replaced so far
     * @param nanoTime as {@link System#nanoTime}: only differences count
     */
    public SlowReaders(MemoryLimits limits, LongSupplier replacedBytes, LongSupplier nanoTime) {
        this.limits = limits;
        this.replacedBytes = replacedBytes;
        this.nanoTime = nanoTime;
    }

    /** A response that waits for its client to read. */
    public final class StalledResponse {
        private final long heldSince;
        private final Runnable abort;
        private final long since = nanoTime.getAsLong();
        private long unreadBytes;

        private StalledResponse(long unreadBytes, long heldSince, Runnable abort) {
            this.unreadBytes = unreadBytes;
            this.heldSince = heldSince;
            this.abort = abort;
        }

        /** Stops tracking: the client has read everything, or the response has ended. Idempotent. */
        public void end() {
            synchronized (SlowReaders.this) {
                remove();
                unread -= unreadBytes;
                unreadBytes = 0;
            }
        }

        private void remove() {
            if (stalled.remove(this)) {
                stalledUnread -= unreadBytes;
            }
        }
    }

    /** Returns the mark from which replaced objects count for a response that reads its objects now. */
    public long readMark() {
        return replacedBytes.getAsLong();
    }

    /**
     * Tracks a stalled response until it calls {@link StalledResponse#end}.
     *
     * @param heldSince the {@link #readMark} when its objects were read, or {@link #NO_OBJECTS}
     * @param abort ends the response; called on any thread, without the lock
     */
    public StalledResponse trackStalled(long unreadBytes, long heldSince, Runnable abort) {
        StalledResponse reader = new StalledResponse(unreadBytes, heldSince, abort);
        synchronized (this) {
            stalled.add(reader);
            unread += unreadBytes;
            stalledUnread += unreadBytes;
            lowestHeld = Math.min(lowestHeld, heldSince);
        }
        enforceLimits();
        return reader;
    }

    /** Returns whether the limit is reached, so that a response that stalls now must end immediately. */
    public synchronized boolean isFull() {
        return unread > limits.unread();
    }

    /** Aborts responses until the limits are met; call after the World has changed. */
    public void enforceLimits() {
        List<StalledResponse> aborted = new ArrayList<>();
        synchronized (this) {
            long oldest = replacedBytes.getAsLong() - limits.outdated();
            long forAll = limits.unread() / 2;
            long most = limits.unread() / 4 * 3;
            if (stalledUnread <= forAll && lowestHeld >= oldest) {
                return;
            }
            lowestHeld = NO_OBJECTS;
            long now = nanoTime.getAsLong();
            for (StalledResponse reader : List.copyOf(stalled)) {
                boolean isSlow = now - reader.since >= STALL_TIMEOUT_NANOS;
                if (stalledUnread > most || (stalledUnread > forAll && isSlow) || reader.heldSince < oldest) {
                    reader.remove();
                    aborted.add(reader);
                } else {
                    lowestHeld = Math.min(lowestHeld, reader.heldSince);
                }
            }
        }
        aborted.forEach(each -> each.abort.run());
    }
}
