package dev.mooring.replay;

import dev.mooring.log.Batch;
import dev.mooring.log.LogDamagedException;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.log.Snapshot;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.replay.explain.PastEvents;
import dev.mooring.world.Ledger.Checkpoint;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A past sequence of events that is read offline, from the files of a log or from a bundle. Takes no lock and writes
 * nothing. Events that a running server appends after the recording was opened are not part of it.
 *
 * <p>Worlds share unchanged objects, so the recording keeps those of the events around the last one that was read, and
 * some earlier ones as starting points. Steps back and forth therefore cost as much as the changes between them. Not
 * thread-safe.
 */
public final class Recording implements PastEvents {
    /**
     * How much a recording keeps.
     *
     * @param window number of consecutive events whose Worlds are kept
     * @param checkpoints number of earlier Worlds that are kept as starting points
     */
    record Retained(int window, int checkpoints) {
        static final Retained DEFAULT = new Retained(512, 64);
    }

    /** Access to the events and stored Worlds of a recording. */
    interface Source {
        /** Returns the oldest World. */
        Checkpoint first() throws IOException;

        LogPosition last() throws IOException;

        /** Returns the positions of the Worlds that can be loaded, by revision. */
        List<LogPosition> stored() throws IOException;

        Checkpoint load(long revision) throws IOException;

        /** Reads batches from a position on, until the visitor stops it. */
        void read(LogPosition after, LogInspector.Visitor visitor) throws IOException;
    }

    private final Source source;
    private final Retained retained;
    private final LogPosition last;
    private final long first;
    private final TreeMap<Long, LogPosition> stored = new TreeMap<>();
    private final TreeMap<Long, Checkpoint> checkpoints = new TreeMap<>();
    private long spacing;

    /** Events after the first World of {@link #worlds}. */
    private List<Event> window = List.of();

    /** Worlds of the window: the one before its first event, and those after its events, as far as they were needed. */
    private final List<World> worlds = new ArrayList<>();

    Recording(Source source, Retained retained) throws IOException {
        this.source = source;
        this.retained = retained;
        this.spacing = retained.window();
        Checkpoint start = source.first();
        this.first = start.world().revision();
        this.last = source.last();
        checkpoints.put(first, start);
        for (LogPosition position : source.stored()) {
            stored.put(position.revision(), position);
        }
        worlds.add(start.world());
    }

    /**
     * Opens the log of a running or stopped server, or a copy of one.
     *
     * @throws LogDamagedException if the oldest World cannot be read; later damage is reported when it is reached
     */
    public static Recording ofLog(LogInspector inspector) throws IOException {
        return ofLog(inspector, Retained.DEFAULT);
    }

    static Recording ofLog(LogInspector inspector, Retained retained) throws IOException {
        return new Recording(new LogSource(inspector), retained);
    }

    /** Returns the number of Worlds that are kept as starting points. */
    int checkpoints() {
        return checkpoints.size();
    }

    /** Returns the oldest revision whose World is known; 0 is the empty World before the first event. */
    public long first() {
        return first;
    }

    /** Returns the newest revision. */
    public long last() {
        return last.revision();
    }

    /** Returns the time of the newest event. */
    public Instant end() {
        return Instant.ofEpochMilli(last.timeMillis());
    }

    /** Returns the World right after an event. */
    public World world(long revision) throws IOException {
        require(revision);
        if (!covers(revision)) {
            load(revision);
        }
        int index = (int) (revision - worlds.get(0).revision());
        while (worlds.size() <= index) {
            worlds.add(worlds.get(worlds.size() - 1).after(window.get(worlds.size() - 1)));
        }
        return worlds.get(index);
    }

    /** Returns the event of a revision; empty if the recording starts with the World after it. */
    public Optional<Event> event(long revision) throws IOException {
        require(revision);
        if (revision == first) {
            return Optional.empty();
        }
        if (covers(revision) && revision > worlds.get(0).revision()) {
            return Optional.of(window.get((int) (revision - worlds.get(0).revision() - 1)));
        }
        Event[] found = new Event[1];
        scan(revision - 1, event -> {
            found[0] = event;
            return false;
        });
        return Optional.ofNullable(found[0]);
    }

    /** Returns the time of a revision; empty for a start that has no event. */
    public Optional<Instant> time(long revision) throws IOException {
        Optional<Instant> time = event(revision).map(Event::time);
        return time.isPresent() || revision == 0
                ? time
                : Optional.of(checkpoints.get(revision).position().timeMillis()).map(Instant::ofEpochMilli);
    }

    /** Returns the revision that was the newest one at a time, or the first one if that time is before all of them. */
    public long revisionAt(Instant time) throws IOException {
        long from = first;
        for (LogPosition position : stored.values()) {
            if (position.timeMillis() <= time.toEpochMilli() && position.revision() <= last()) {
                from = Math.max(from, position.revision());
            }
        }
        long[] found = {from};
        scan(from, event -> {
            if (event.time().isAfter(time)) {
                return false;
            }
            found[0] = event.revision();
            return true;
        });
        return found[0];
    }

    /** Passes the events after a revision to {@code proceed}, until it returns false. */
    public void scan(long after, Predicate<Event> proceed) throws IOException {
        LogPosition from = checkpoints.floorEntry(after).getValue().position();
        Map.Entry<Long, LogPosition> nearer = stored.floorEntry(after);
        read(
                nearer != null && nearer.getKey() > from.revision() ? nearer.getValue() : from,
                (event, end) -> event.revision() <= after || proceed.test(event));
    }

    /** Returns the events after a revision. The iterator throws an {@link UncheckedIOException} if reading fails. */
    public Iterator<Event> events(long after) {
        return new Iterator<>() {
            private long revision = after;

            @Override
            public boolean hasNext() {
                return revision < last();
            }

            @Override
            public Event next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                try {
                    revision++;
                    if (!covers(revision)) {
                        load(revision);
                    }
                    return event(revision).orElseThrow();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }

    @Override
    public List<Event> newestOf(ObjectKey key, long upTo, int limit) throws IOException {
        Deque<Event> newest = new ArrayDeque<>();
        Optional<StoredObject> object = world(upTo).get(key);
        if (object.isPresent()) {
            for (long revision = object.get().revision(); revision > first && newest.size() < limit; ) {
                Event event = event(revision).orElseThrow();
                newest.addLast(event);
                revision = priorOf(key, event);
            }
            return List.copyOf(newest);
        }
        scan(first, event -> {
            if (event.revision() <= upTo
                    && event.changes().stream().anyMatch(each -> each.key().equals(key))) {
                newest.addFirst(event);
                if (newest.size() > limit) {
                    newest.removeLast();
                }
            }
            return event.revision() < upTo;
        });
        return List.copyOf(newest);
    }

    private static long priorOf(ObjectKey key, Event event) {
        return event.changes().stream()
                .filter(each -> each.key().equals(key))
                .mapToLong(Change::prior)
                .findFirst()
                .orElse(0);
    }

    private void require(long revision) {
        if (revision < first || revision > last()) {
            throw new IllegalArgumentException(
                    "Revision must be from " + first + " to " + last() + ", got " + revision);
        }
    }

    private boolean covers(long revision) {
        long start = worlds.get(0).revision();
        return revision >= start && revision <= start + window.size();
    }

    /** Moves the window to a revision, and keeps Worlds on the way. */
    private void load(long revision) throws IOException {
        Checkpoint from = checkpoints.floorEntry(revision).getValue();
        Map.Entry<Long, LogPosition> nearer = stored.floorEntry(revision);
        if (nearer != null && nearer.getKey() > from.world().revision() + retained.window()) {
            from = source.load(nearer.getKey());
            keep(from);
        }
        List<Event> events = new ArrayList<>();
        World[] start = {from.world()};
        read(from.position(), (event, end) -> {
            events.add(event);
            if (events.size() < retained.window() || end.isEmpty()) {
                return true;
            }
            if (event.revision() >= revision) {
                return false;
            }
            World.Editor editor = start[0].edit();
            events.forEach(editor::apply);
            events.clear();
            start[0] = editor.done();
            keep(new Checkpoint(start[0], end.get()));
            return true;
        });
        window = List.copyOf(events);
        worlds.clear();
        worlds.add(start[0]);
        if (!covers(revision)) {
            throw new IOException("The recording ends with revision " + (start[0].revision() + window.size())
                    + ", but had revision " + last() + " when it was opened");
        }
    }

    /** Keeps a World as a starting point; doubles the distance between them if there are too many. */
    private void keep(Checkpoint checkpoint) {
        long revision = checkpoint.world().revision();
        if (revision - checkpoints.floorKey(revision) < spacing) {
            return;
        }
        checkpoints.put(revision, checkpoint);
        if (checkpoints.size() > retained.checkpoints()) {
            spacing *= 2;
            long[] before = {first};
            checkpoints.keySet().removeIf(each -> {
                boolean near = each != first && each - before[0] < spacing;
                before[0] = near ? before[0] : each;
                return near;
            });
        }
    }

    /** Receives an event, and the end of its batch if it is the last one of it. Returns whether to continue. */
    private interface EventVisitor {
        boolean visit(Event event, Optional<LogPosition> end);
    }

    private void read(LogPosition from, EventVisitor visitor) throws IOException {
        if (from.revision() >= last()) {
            return;
        }
        source.read(from, (batch, end) -> {
            for (Event event : batch.from(from.revision() + 1).events()) {
                boolean ends = event.revision() == batch.lastRevision();
                if (!visitor.visit(event, ends ? Optional.of(end) : Optional.empty()) || event.revision() == last()) {
                    return false;
                }
            }
            return true;
        });
    }

    /** The files of a log. */
    private record LogSource(LogInspector inspector) implements Source {
        @Override
        public Checkpoint first() throws IOException {
            long oldest = inspector.segments().get(0).firstRevision();
            if (oldest == 1) {
                return new Checkpoint(World.EMPTY, LogPosition.BEGINNING);
            }
            for (long revision : inspector.snapshots().revisions()) {
                if (revision >= oldest - 1) {
                    return load(revision);
                }
            }
            throw new IOException(
                    "The log starts with revision " + oldest + ", but there is no snapshot to start from");
        }

        @Override
        public LogPosition last() throws IOException {
            LogPosition[] last = {LogPosition.BEGINNING};
            LogInspector.End end = inspector.walk(Long.MAX_VALUE, new LogInspector.Visitor() {
                @Override
                public boolean batch(Batch batch, LogPosition position) {
                    last[0] = position;
                    return true;
                }

                @Override
                public void damage(LogDamagedException damage) {
                    // The recording ends before it.
                }
            });
            return end.position().orElse(last[0]);
        }

        @Override
        public List<LogPosition> stored() throws IOException {
            List<LogPosition> positions = new ArrayList<>();
            for (long revision : inspector.snapshots().revisions()) {
                try {
                    positions.add(inspector.snapshots().position(revision));
                } catch (LogDamagedException e) {
                    // A damaged snapshot only makes steps slower; --verify reports it.
                }
            }
            return positions;
        }

        @Override
        public Checkpoint load(long revision) throws IOException {
            Snapshot snapshot = inspector.snapshots().load(revision);
            return new Checkpoint(worldOf(snapshot), snapshot.position());
        }

        /** Returns the World of a snapshot, whose digest differs if the key of encrypted Secrets is missing. */
        private World worldOf(Snapshot snapshot) {
            return inspector.missingKeys().isEmpty()
                    ? World.of(snapshot)
                    : Recording.worldOf(snapshot.position(), snapshot.objects());
        }

        @Override
        public void read(LogPosition after, LogInspector.Visitor visitor) throws IOException {
            inspector.walk(after, visitor);
        }
    }

    /** Returns the World of objects that differ from those of the log, such as redacted ones. */
    static World worldOf(LogPosition position, List<StoredObject> objects) {
        long digest = objects.stream().mapToLong(StoredObject::digest).sum();
        return World.of(new Snapshot(
                new LogPosition(
                        position.revision(),
                        position.segment(),
                        position.offset(),
                        position.chain(),
                        digest,
                        position.timeMillis()),
                objects));
    }
}
