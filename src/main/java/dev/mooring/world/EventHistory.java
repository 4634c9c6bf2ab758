package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.EventLog;
import dev.mooring.log.EventReader;
import dev.mooring.log.EventTerm;
import dev.mooring.log.RevisionReader;
import dev.mooring.model.Change;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.PointInTime;
import dev.mooring.model.SearchOrder;
import dev.mooring.model.StoredObject;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads past events: all of a range, those of an object, or those that another event caused. Events of an object or a
 * cause are found through the log's index, so the cost depends on their number and not on the length of the log.
 *
 * <p>Only acknowledged events are returned; recent ones come from memory. All methods may block on the disk. Thread-safe;
 * an {@link EventCursor} is not.
 */
public final class EventHistory {
    private final EventLog log;
    private final Ledger ledger;
    private final WatchHub hub;
    private final PriorStates prior;

    EventHistory(EventLog log, Ledger ledger, WatchHub hub) {
        this.log = log;
        this.ledger = ledger;
        this.hub = hub;
        this.prior = hub.prior();
    }

    /** Iterates over events. */
    public interface EventCursor extends Closeable {
        /** Returns the next event; empty at the end. */
        Optional<WorldEvent> next() throws IOException;

        @Override
        default void close() throws IOException {}
    }

    /**
     * A range of revisions, in an order.
     *
     * @param from first revision
     * @param to last revision
     */
    public record RevisionRange(long from, long to, SearchOrder order) {}

    /** Returns the oldest retained revision; one more than {@link #newest()} if there is none. */
    public long oldest() {
        return log.firstRevision();
    }

    /** Returns the newest acknowledged revision; the hub may receive its event shortly after. */
    public long newest() {
        return ledger.world().revision();
    }

    /** Returns the oldest retained event. */
    public Optional<WorldEvent> first() throws IOException {
        return oldest() > newest() ? Optional.empty() : at(oldest());
    }

    /**
     * Returns the event of a revision; empty if there is none yet.
     *
     * @throws CompactedException if it is no longer retained
     */
    public Optional<WorldEvent> at(long revision) throws IOException {
        return revision < 1 || revision > newest() ? Optional.empty() : durable(revision);
    }

    /** Returns a durable event, which may not be published yet. */
    private Optional<WorldEvent> durable(long revision) throws IOException {
        Optional<WorldEvent> recent = hub.recent(revision);
        if (recent.isPresent()) {
            return recent;
        }
        try (EventReader reader = log.read(revision)) {
            return reader.next().map(batch -> WorldEvent.past(batch.events().get(0), prior));
        }
    }

    /** Returns the first revision that is not before a point in time; one more than the newest if there is none yet. */
    public long firstNotBefore(PointInTime point) throws IOException {
        return point instanceof PointInTime.AtTime at
                ? log.revisionAt(at.time().toEpochMilli() - 1) + 1
                : ((PointInTime.AtRevision) point).revision();
    }

    /** Returns the last revision that is not after a point in time. */
    public long lastNotAfter(PointInTime point) throws IOException {
        return point instanceof PointInTime.AtTime at
                ? log.revisionAt(at.time().toEpochMilli())
                : ((PointInTime.AtRevision) point).revision();
    }

    /** Returns all events of a range, without those that are no longer retained. */
    public EventCursor all(RevisionRange range) {
        long from = Math.max(range.from(), oldest());
        long to = Math.min(range.to(), newest());
        return range.order() == SearchOrder.OLDEST_FIRST ? new ForwardCursor(from, to) : new BackwardCursor(from, to);
    }

    /**
     * Returns the events of a range that change an object, of all its incarnations, and rarely others: the caller must
     * check them, and bound how many it reads.
     */
    public EventCursor ofObject(ObjectKey key, RevisionRange range) {
        return found(EventTerm.object(key), range);
    }

    /** Returns the events whose cause is a revision, oldest first, and rarely others. */
    public EventCursor causedBy(long revision) {
        return found(
                EventTerm.cause(revision), new RevisionRange(revision + 1, Long.MAX_VALUE, SearchOrder.OLDEST_FIRST));
    }

    private EventCursor found(EventTerm term, RevisionRange range) {
        RevisionReader revisions = log.find(term, range.from(), Math.min(range.to(), newest()), range.order());
        return () -> {
            for (OptionalLong next = revisions.next(); next.isPresent(); next = revisions.next()) {
                try {
                    return at(next.getAsLong());
                } catch (CompactedException e) {
                    // Retention has removed it since the search began.
                }
            }
            return Optional.empty();
        };
    }

    /**
     * Returns the revision that created an object that exists now; the oldest retained one if that is not retained. If
     * all later changes are in memory, the disk is not used.
     *
     * @param now an object of the newest World
     * @param notBefore stop here: a result at or before this revision says that the object existed then
     */
    public long existsSince(StoredObject now, long notBefore) throws IOException {
        long written = now.revision();
        while (written > notBefore) {
            Optional<Change> change;
            try {
                change = durable(written).flatMap(event -> change(event.event(), now.key()));
            } catch (CompactedException e) {
                return 0;
            }
            long before = change.map(Change::prior).orElse(0L);
            if (before == 0) {
                return written;
            }
            written = before;
        }
        return written;
    }

    private static Optional<Change> change(Event event, ObjectKey key) {
        return event.changes().stream()
                .filter(change -> change.key().equals(key))
                .findFirst();
    }

    /** Reads the log forwards. */
    private final class ForwardCursor implements EventCursor {
        private final long to;
        private final Deque<Event> read = new ArrayDeque<>();
        private EventReader reader;
        private long next;

        ForwardCursor(long from, long to) {
            this.next = from;
            this.to = to;
        }

        @Override
        public Optional<WorldEvent> next() throws IOException {
            if (next > to) {
                return Optional.empty();
            }
            Optional<WorldEvent> event = hub.recent(next);
            if (event.isEmpty()) {
                event = fromLog();
            }
            next++;
            return event;
        }

        private Optional<WorldEvent> fromLog() throws IOException {
            if (reader == null) {
                reader = log.read(next);
            }
            while (read.isEmpty() || read.peekFirst().revision() < next) {
                if (read.pollFirst() == null) {
                    Optional<Batch> batch = reader.next();
                    if (batch.isEmpty()) {
                        return Optional.empty();
                    }
                    read.addAll(batch.get().events());
                }
            }
            return Optional.of(WorldEvent.past(read.removeFirst(), prior));
        }

        @Override
        public void close() throws IOException {
            if (reader != null) {
                reader.close();
            }
        }
    }

    /** Reads the log backwards, a few events at a time; fewer if they are large. */
    private final class BackwardCursor implements EventCursor {
        private static final int MAX_EVENTS = 256;
        private static final long LARGE_BYTES = 256 * 1024;

        private final long from;
        private final Deque<Event> read = new ArrayDeque<>();
        private int window = 8;
        private long next;

        BackwardCursor(long from, long to) {
            this.from = from;
            this.next = to;
        }

        @Override
        public Optional<WorldEvent> next() throws IOException {
            if (next < from) {
                return Optional.empty();
            }
            Optional<WorldEvent> event = read.isEmpty() ? hub.recent(next) : Optional.empty();
            if (event.isEmpty()) {
                if (read.isEmpty()) {
                    fill();
                }
                event = Optional.ofNullable(read.pollLast()).map(each -> WorldEvent.past(each, prior));
            }
            next--;
            return event;
        }

        private void fill() throws IOException {
            long bytes = 0;
            long start = Math.max(from, next - window + 1);
            try (EventCursor events = new ForwardCursor(start, next)) {
                for (Optional<WorldEvent> event = events.next(); event.isPresent(); event = events.next()) {
                    read.add(event.get().event());
                    bytes += size(event.get().event().changes());
                }
            }
            window = bytes > LARGE_BYTES ? Math.max(1, window / 2) : Math.min(MAX_EVENTS, window * 2);
        }

        private static long size(List<Change> changes) {
            long bytes = 0;
            for (Change change : changes) {
                bytes += change.object().bytes();
            }
            return bytes;
        }
    }
}
