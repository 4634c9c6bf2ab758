package dev.mooring.log;

import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.SearchOrder;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Searches the indexes of the segments, one after the other. */
final class RevisionFinder implements RevisionReader {
    private final LogReader.SegmentsView view;
    private final EventTerm term;
    private final long from;
    private final long to;
    private final SearchOrder order;
    private int visited;
    private Iterator<Long> found = Collections.emptyIterator();
    private long last;

    RevisionFinder(LogReader.SegmentsView view, EventTerm term, long from, long to, SearchOrder order) {
        this.view = view;
        this.term = term;
        this.from = from;
        this.to = Math.min(to, view.end().revision());
        this.order = order;
    }

    @Override
    public OptionalLong next() throws IOException {
        while (true) {
            while (found.hasNext()) {
                long revision = found.next();
                // Two terms of an event may have the same hash.
                if (revision >= from && revision <= to && revision != last) {
                    last = revision;
                    return OptionalLong.of(revision);
                }
            }
            if (visited == view.segments().size()) {
                return OptionalLong.empty();
            }
            int number = order == SearchOrder.OLDEST_FIRST
                    ? visited
                    : view.segments().size() - 1 - visited;
            visited++;
            if (mayHold(number)) {
                found = search(view.segments().get(number));
            }
        }
    }

    private boolean mayHold(int number) {
        boolean isLast = number == view.segments().size() - 1;
        long first = view.segments().get(number).firstRevision();
        return first <= to && (isLast || view.segments().get(number + 1).firstRevision() > from);
    }

    private Iterator<Long> search(Segment segment) throws IOException {
        try {
            List<Long> revisions = segment.find(term);
            if (order == SearchOrder.NEWEST_FIRST) {
                Collections.reverse(revisions);
            }
            return revisions.iterator();
        } catch (NoSuchFileException e) {
            // Retention has removed it since the search began.
            return Collections.emptyIterator();
        }
    }

    /** Implements {@link EventLog#revisionAt}: a binary search over the segments, then in the index of one. */
    static long revisionAt(LogReader.SegmentsView view, long timeMillis) throws IOException {
        List<Segment> segments = view.segments();
        int count = SegmentIndex.countLeading(segments.size(), number -> startTime(segments.get(number)) <= timeMillis);
        if (count == 0) {
            return segments.get(0).firstRevision() - 1;
        }
        Segment segment = segments.get(count - 1);
        try (Disk.DiskFile file = segment.open()) {
            LogPosition start = segment.closestAtOrBefore(timeMillis, file);
            long revision = start.revision();
            SegmentScanner scanner = segment.scan(file, start);
            for (Optional<Batch> batch = scanner.next(view.limit(segment));
                    batch.isPresent();
                    batch = scanner.next(view.limit(segment))) {
                for (Event event : batch.get().events()) {
                    if (event.time().toEpochMilli() > timeMillis) {
                        return revision;
                    }
                    revision = event.revision();
                }
            }
            return revision;
        } catch (NoSuchFileException e) {
            throw new CompactedException(segment.firstRevision(), segment.firstRevision());
        }
    }

    /** Returns the time of the last event before a segment. */
    private static long startTime(Segment segment) throws IOException {
        try (Disk.DiskFile file = segment.open()) {
            return segment.start(file).timeMillis();
        }
    }
}
