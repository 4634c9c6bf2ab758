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
 * The keys that are to be looked at. The life of a key:
 *
 * <pre>
 *   addAfter ──▶ DELAYED ──due──▶ READY ──take──▶ WORKING ──succeeded──▶ forgotten, or DELAYED to be looked at again
 *   add ───────────────────────────▲                 └──────failed──────▶ DELAYED, longer each time
 * </pre>
 *
 * A key is in it once, however often it is added. While it is WORKING nobody else gets it; what is added meanwhile counts when the work
 * is done, because the worker may have looked before it. Keys that are READY are handed out in the order in which they became so.
 *
 * <p>Has no clock, no timer and no thread: it is told the time, in nanoseconds of any origin, as {@link System#nanoTime()} gives
 * it, and says when it next wants to be asked. Every operation takes at most O(log n). For one thread.
 */
public final class WorkQueue {
    /** As far ahead as it plans; a key that is due later is looked at in between. */
    static final Duration LONGEST_DELAY = Duration.ofDays(365);

    /** Races are lost now and then, not many times in a row: whoever does is at fault and must not spin. */
    static final int CONFLICTS_AT_ONCE = 8;

    private enum State {
        READY,
        DELAYED,
        WORKING
    }

    private static final class Entry {
        private final ObjectKey key;
        private final long number;
        private State state = State.READY;

        /** When it is or was due; of a WORKING one, only if {@link #wanted}. */
        private long due;

        /** While WORKING: it is to be looked at again at {@link #due}. */
        private boolean wanted;

        private int failures;
        private int conflicts;

        private Entry(ObjectKey key, long number) {
            this.key = key;
            this.number = number;
        }
    }

    private static final Comparator<Entry> BY_DUE = (a, b) -> {
        // The origin is arbitrary and the number may overflow: only the difference means something.
        int byDue = Long.signum(a.due - b.due);
        return byDue == 0 ? Long.compare(a.number, b.number) : byDue;
    };

    private final Backoff backoff;
    private final Map<ObjectKey, Entry> entries = new HashMap<>();
    private final Deque<Entry> ready = new ArrayDeque<>();
    private final TreeSet<Entry> delayed = new TreeSet<>(BY_DUE);
    private long numbers;
    private int working;

    public WorkQueue(Backoff backoff) {
        this.backoff = backoff;
    }

    /** The key is to be looked at now, even if it waits because it failed. */
    public void add(ObjectKey key, long now) {
        Entry entry = entries.get(key);
        if (entry == null) {
            makeReady(enter(key), now);
        } else if (entry.state == State.DELAYED) {
            delayed.remove(entry);
            makeReady(entry, now);
        } else if (entry.state == State.WORKING) {
            want(entry, now);
        }
    }

    /** The key is to be looked at after a while, or when it is due anyway if that is earlier. */
    public void addAfter(ObjectKey key, Duration delay, long now) {
        long due = later(now, delay);
        Entry entry = entries.get(key);
        if (entry == null) {
            delay(enter(key), due);
        } else if (entry.state == State.DELAYED && due - entry.due < 0) {
            delayed.remove(entry);
            delay(entry, due);
        } else if (entry.state == State.WORKING) {
            want(entry, due);
        }
    }

    /** A key to work on. Whoever takes it says what came of it, with one of the three below. */
    public Optional<Taken> take(long now) {
        promote(now);
        Entry entry = ready.poll();
        if (entry == null) {
            return Optional.empty();
        }
        entry.state = State.WORKING;
        entry.wanted = false;
        working++;
        return Optional.of(new Taken(entry.key, Duration.ofNanos(Math.max(0, now - entry.due))));
    }

    /**
     * A key that was handed out.
     *
     * @param lag how long it had been due
     */
    public record Taken(ObjectKey key, Duration lag) {}

    /** All went well: failures before are forgotten. */
    public void succeeded(ObjectKey key, Optional<Duration> lookAgain, long now) {
        Entry entry = release(key);
        entry.failures = 0;
        entry.conflicts = 0;
        if (entry.wanted && entry.due - now <= 0) {
            makeReady(entry, now);
            return;
        }
        lookAgain.ifPresent(delay -> want(entry, later(now, delay)));
        if (entry.wanted) {
            delay(entry, entry.due);
        } else {
            entries.remove(key);
        }
    }

    /** Somebody was faster: the key is to be looked at again at once, behind the others. */
    public void conflicted(ObjectKey key, long now) {
        if (entry(key).conflicts >= CONFLICTS_AT_ONCE) {
            failed(key, now);
            return;
        }
        Entry entry = release(key);
        entry.conflicts++;
        makeReady(entry, now);
    }

    /**
     * It went wrong: the key is to be looked at after its back-off, or sooner if somebody asks for that.
     *
     * @return the back-off
     */
    public Duration failed(ObjectKey key, long now) {
        Entry entry = release(key);
        entry.failures++;
        Duration delay = backoff.after(entry.failures);
        want(entry, later(now, delay));
        if (entry.due - now <= 0) {
            makeReady(entry, now);
        } else {
            delay(entry, entry.due);
        }
        return delay;
    }

    /** When {@link #take} next has something to hand out, unless something is added; in the past if it has now. */
    public OptionalLong nextDue() {
        if (!ready.isEmpty()) {
            return OptionalLong.of(ready.peek().due);
        }
        return delayed.isEmpty() ? OptionalLong.empty() : OptionalLong.of(delayed.first().due);
    }

    /** How many keys it knows of: those that are due, wait, or are worked on. */
    public int size() {
        return entries.size();
    }

    /** How many keys are due and not worked on, as far as it was told the time. */
    public int ready() {
        return ready.size();
    }

    public int working() {
        return working;
    }

    private Entry enter(ObjectKey key) {
        Entry entry = new Entry(key, numbers++);
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

    private static void want(Entry entry, long due) {
        if (!entry.wanted || due - entry.due < 0) {
            entry.wanted = true;
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
            throw new IllegalStateException("Expected " + key + " to be worked on, but it is not");
        }
        return entry;
    }

    private static long later(long now, Duration delay) {
        return now + (delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay).toNanos();
    }
}
