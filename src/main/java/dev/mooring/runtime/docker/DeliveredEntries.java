package dev.mooring.runtime.docker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The times of the log entries that were delivered last, to find the first one that was not: entries are delivered in
 * the order of the log, so of all entries since {@link #since} exactly the first {@link #count} were delivered. For one
 * thread.
 */
final class DeliveredEntries {
    private static final int MAX_ENTRIES = 4096;

    /** Standard output and standard error are written by two threads, so their times may be out of order. */
    private static final Duration OUT_OF_ORDER = Duration.ofSeconds(1);

    private final Deque<Instant> times = new ArrayDeque<>();
    private Instant last = Instant.MIN;
    private Instant earliest = Instant.MIN;

    void add(Instant time) {
        if (times.isEmpty()) {
            earliest = time; // with a limited number of lines, those before it were not delivered
        }
        if (times.size() == MAX_ENTRIES) {
            Instant dropped = times.removeFirst().plusNanos(1);
            earliest = earliest.isBefore(dropped) ? dropped : earliest;
        }
        times.addLast(time);
        last = last.isBefore(time) ? time : last;
    }

    /** Returns the time from which to read again; empty if no entry was delivered. */
    Optional<Instant> since() {
        if (times.isEmpty()) {
            return Optional.empty();
        }
        Instant since = last.minus(OUT_OF_ORDER);
        return Optional.of(since.isBefore(earliest) ? earliest : since);
    }

    /** Returns the number of delivered entries since then. */
    long count() {
        return since().map(since ->
                        times.stream().filter(time -> !time.isBefore(since)).count())
                .orElse(0L);
    }
}
