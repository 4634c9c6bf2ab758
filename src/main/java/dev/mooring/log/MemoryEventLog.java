package dev.mooring.log;

import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.SearchOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * A log in memory, for simulations. Begins after a position of another log; has no snapshots. Confined to one thread.
 */
public final class MemoryEventLog implements EventLog {
    private final long start;
    private final List<Event> events = new ArrayList<>();
    private LogPosition end;

    /** @param start the position of the World with which the simulation begins */
    public MemoryEventLog(LogPosition start) {
        this.start = start.revision();
        this.end = start;
    }

    /** Returns the events that were appended. */
    public List<Event> events() {
        return Collections.unmodifiableList(events);
    }

    @Override
    public void append(Batch batch) {
        events.addAll(batch.events());
        Event last = events.get(events.size() - 1);
        end = new LogPosition(
                last.revision(), 0, 0, 0, batch.digest(), last.time().toEpochMilli());
    }

    @Override
    public void recover() {}

    @Override
    public LogPosition end() {
        return end;
    }

    @Override
    public long firstRevision() {
        return start + 1;
    }

    @Override
    public EventReader read(long fromRevision) throws CompactedException {
        if (fromRevision <= start) {
            throw new CompactedException(fromRevision, firstRevision());
        }
        return new MemoryReader(fromRevision);
    }

    @Override
    public EventReader readAfter(LogPosition position) throws CompactedException {
        return read(position.revision() + 1);
    }

    @Override
    public RevisionReader find(EventTerm term, long from, long to, SearchOrder order) {
        List<Event> found = new ArrayList<>();
        for (Event event : events) {
            if (event.revision() >= from && event.revision() <= to) {
                EventTerm.hashes(event, hash -> {
                    if (hash == term.hash()
                            && (found.isEmpty() || found.get(found.size() - 1).revision() != event.revision())) {
                        found.add(event);
                    }
                });
            }
        }
        if (order == SearchOrder.NEWEST_FIRST) {
            Collections.reverse(found);
        }
        Iterator<Event> next = found.iterator();
        return () -> next.hasNext() ? OptionalLong.of(next.next().revision()) : OptionalLong.empty();
    }

    @Override
    public long revisionAt(long timeMillis) {
        return LongStream.concat(
                        LongStream.of(start),
                        events.stream()
                                .filter(each -> each.time().toEpochMilli() <= timeMillis)
                                .mapToLong(Event::revision))
                .max()
                .orElseThrow();
    }

    @Override
    public Snapshots snapshots() {
        throw new UnsupportedOperationException("A log in memory has no snapshots");
    }

    @Override
    public Optional<String> failure() {
        return Optional.empty();
    }

    @Override
    public void close() {}

    /** Reads the events one by one. */
    private final class MemoryReader implements EventReader {
        private int next;

        MemoryReader(long from) {
            this.next = (int) (from - start - 1);
        }

        @Override
        public Optional<Batch> next() {
            return next < events.size() ? Optional.of(new Batch(List.of(events.get(next++)), 0)) : Optional.empty();
        }

        @Override
        public void close() {}
    }
}
