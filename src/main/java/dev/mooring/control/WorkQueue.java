package dev.mooring.control;

import dev.mooring.model.ObjectKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * A queue of keys to reconcile, with delays and back-off. The states of a key:
 *
 * <pre>
 *   addAfter ──▶ DELAYED ──due──▶ READY ──take──▶ WORKING ──succeeded──▶ removed, or DELAYED until requeued
 *   add ───────────────────────────▲                 └──────failed──────▶ DELAYED by its back-off
 * </pre>
 *
 * A key is in the queue at most once, however often it is added. A WORKING key is not handed out again. If it is added meanwhile, it
 * becomes ready when the work is done, because the worker may have read the World before the change. READY keys are taken in FIFO order.
 *
 * <p>The queue has no clock, timer or thread: callers pass the time, in nanoseconds of any origin as {@link System#nanoTime()} gives it,
 * and {@link #nextDue} returns when to call {@link #take} next. Every operation takes at most O(log n). Not thread-safe.
 */
public final class WorkQueue {
    /** Maximum delay; a key with a longer delay is reconciled earlier. */
    static final Duration MAX_DELAY = Duration.ofDays(365);

    /** Limit of consecutive immediate retries after a conflict; above it, the key backs off so that it cannot spin. */
    static final int MAX_IMMEDIATE_RETRIES = 8;

    private enum State {
        READY,
        DELAYED,
        WORKING
    }

    private static final class Entry {
        private final ObjectKey key;
        private final long sequence;
        private State state = State.READY;

        /** When the key is or was due; for a WORKING key, valid only if {@link #requeued}. */
        private long due;

        /** Whether the WORKING key must be reconciled again at {@link #due}. */
        private boolean requeued;

        private int failures;
        private int conflicts;

        private Entry(ObjectKey key, long number) {
            this.key = key;
            this.sequence = number;
        }
    }

    private static final Comparator<Entry> BY_DUE = (a, b) -> {
        // The origin is arbitrary and the value may overflow, so only the difference is meaningful.
        int byDue = Long.signum(a.due - b.due);
        return byDue == 0 ? Long.compare(a.sequence, b.sequence) : byDue;
    };

    private final Backoff backoff;
    private final Map<ObjectKey, Entry> entries = new HashMap<>();
    private final Deque<Entry> ready = new ArrayDeque<>();
    private final TreeSet<Entry> delayed = new TreeSet<>(BY_DUE);
    private long nextSequence;
    private int working;

    public WorkQueue(Backoff backoff) {
        this.backoff = backoff;
    }

    /** Makes a key ready now, even if it is backing off after a failure. */
    public void add(ObjectKey key, long now) {
        Entry entry = entries.get(key);
        if (entry == null) {
            makeReady(addEntry(key), now);
        } else if (entry.state == State.DELAYED) {
            delayed.remove(entry);
            makeReady(entry, now);
        } else if (entry.state == State.WORKING) {
            requeueAt(entry, now);
        }
    }

    /** Makes a key ready after a delay, or earlier if it is already due earlier. */
    public void addAfter(ObjectKey key, Duration delay, long now) {
        long due = dueAfter(now, delay);
        Entry entry = entries.get(key);
        if (entry == null) {
            delay(addEntry(key), due);
        } else if (entry.state == State.DELAYED && due - entry.due < 0) {
            delayed.remove(entry);
            delay(entry, due);
        } else if (entry.state == State.WORKING) {
            requeueAt(entry, due);
        }
    }

    /**
     * Takes the next ready key. The caller must report the result with {@link #succeeded}, {@link #conflicted} or
     * {@link #failed}.
     */
    public Optional<QueuedKey> take(long now) {
        promote(now);
        Entry entry = ready.poll();
        if (entry == null) {
            return Optional.empty();
        }
        entry.state = State.WORKING;
        entry.requeued = false;
        working++;
        return Optional.of(new QueuedKey(entry.key, Duration.ofNanos(Math.max(0, now - entry.due))));
    }

    /**
     * A key taken from the queue.
     *
     * @param lag time between the due time and the take
     */
    public record QueuedKey(ObjectKey key, Duration lag) {}

    /** Reports success and resets the failure count. */
    public void succeeded(ObjectKey key, Optional<Duration> requeueAfter, long now) {
        Entry entry = release(key);
        entry.failures = 0;
        entry.conflicts = 0;
        if (entry.requeued && entry.due - now <= 0) {
            makeReady(entry, now);
            return;
        }
        requeueAfter.ifPresent(delay -> requeueAt(entry, dueAfter(now, delay)));
        if (entry.requeued) {
            delay(entry, entry.due);
        } else {
            entries.remove(key);
        }
    }

    /** Reports a conflict with another writer: the key becomes ready at once, behind the other ready keys. */
    public void conflicted(ObjectKey key, long now) {
        if (entry(key).conflicts >= MAX_IMMEDIATE_RETRIES) {
            failed(key, now);
            return;
        }
        Entry entry = release(key);
        entry.conflicts++;
        makeReady(entry, now);
    }

    /** Returns the number of failures since the last success. */
    public int failures(ObjectKey key) {
        Entry entry = entries.get(key);
        return entry == null ? 0 : entry.failures;
    }

    /**
     * Reports a failure: the key becomes ready after its back-off, or earlier if it is added again.
     *
     * @return the back-off
     */
    public Duration failed(ObjectKey key, long now) {
        Entry entry = release(key);
        entry.failures++;
        Duration delay = backoff.after(entry.failures);
        requeueAt(entry, dueAfter(now, delay));
        if (entry.due - now <= 0) {
            makeReady(entry, now);
        } else {
            delay(entry, entry.due);
        }
        return delay;
    }

    /** Returns when {@link #take} next returns a key unless one is added; in the past if a key is ready now. */
    public OptionalLong nextDue() {
        if (!ready.isEmpty()) {
            return OptionalLong.of(ready.peek().due);
        }
        return delayed.isEmpty() ? OptionalLong.empty() : OptionalLong.of(delayed.first().due);
    }

    /** Returns the number of keys that are ready, delayed or being worked on. */
    public int size() {
        return entries.size();
    }

    /** Returns the number of ready keys, as of the last time passed in. */
    public int ready() {
        return ready.size();
    }

    public int working() {
        return working;
    }

    private Entry addEntry(ObjectKey key) {
        Entry entry = new Entry(key, nextSequence++);
        entries.put(key, entry);
        return entry;
    }

    private void promote(long now) {
        while (!delayed.isEmpty() && delayed.first().due - now <= 0) {
            Entry entry = delayed.pollFirst();
            makeReady(entry, entry.due);
        }
    }

    private void makeReady(Entry entry, long since) {
        entry.state = State.READY;
        entry.due = since;
        ready.add(entry);
    }

    private void delay(Entry entry, long due) {
        entry.state = State.DELAYED;
        entry.due = due;
        delayed.add(entry);
    }

    private static void requeueAt(Entry entry, long due) {
        if (!entry.requeued || due - entry.due < 0) {
            entry.requeued = true;
            entry.due = due;
        }
    }

    private Entry release(ObjectKey key) {
        Entry entry = entry(key);
        working--;
        return entry;
    }

    private Entry entry(ObjectKey key) {
        Entry entry = entries.get(key);
        if (entry == null || entry.state != State.WORKING) {
            throw new IllegalStateException(key + " is not being reconciled");
        }
        return entry;
    }

    private static long dueAfter(long now, Duration delay) {
        return now + (delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : delay).toNanos();
    }
}
