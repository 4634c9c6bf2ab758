package dev.mooring.log;

import dev.mooring.model.CompactedException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads batches across segments, up to the durable end at the time of each call. */
final class LogReader implements EventReader {
    /** The visible segments, ascending, and the durable end at one moment. */
    record SegmentsView(List<Segment> segments, LogPosition end) {
        /** Returns up to which offset a segment may be read: the last one only to the durable end. */
        long limit(Segment segment) {
            return segment.firstRevision() == end.segment() ? end.offset() : Long.MAX_VALUE;
        }

        Optional<Segment> holding(long revision) {
            for (int i = segments.size() - 1; i >= 0; i--) {
                if (segments.get(i).firstRevision() <= revision) {
                    return Optional.of(segments.get(i));
                }
            }
            return Optional.empty();
        }
    }

    private final Supplier<SegmentsView> view;
    private final long fromRevision;
    private Segment segment;
    private Disk.DiskFile file;
    private SegmentScanner scanner;

    private LogReader(Supplier<SegmentsView> view, long fromRevision, SegmentsView now) throws IOException {
        this.view = view;
        this.fromRevision = fromRevision;
        open(now.holding(fromRevision).orElseThrow(() -> new CompactedException(fromRevision, oldest(now))), now);
    }

    /** Creates a reader from a revision on, which is searched for. */
    static LogReader from(Supplier<SegmentsView> view, long revision) throws IOException {
        SegmentsView now = view.get();
        LogReader reader = new LogReader(view, revision, now);
        try {
            LogPosition closest = reader.segment.closestBefore(revision, reader.file);
            reader.scanner = reader.segment.scan(reader.file, closest);
            return reader;
        } catch (IOException | RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    /** Creates a reader from a known position on. */
    static LogReader after(Supplier<SegmentsView> view, LogPosition position) throws IOException {
        SegmentsView now = view.get();
        LogReader reader = new LogReader(view, position.revision() + 1, now);
        boolean startsASegment = reader.segment.firstRevision() != position.segment();
        reader.scanner =
                reader.segment.scan(reader.file, startsASegment ? reader.segment.start(reader.file) : position);
        return reader;
    }

    @Override
    public Optional<Batch> next() throws IOException {
        while (true) {
            SegmentsView now = view.get();
            if (scanner.position().revision() >= now.end().revision()) {
                return Optional.empty();
            }
            Optional<Batch> batch = scanner.next(now.limit(segment));
            if (batch.isEmpty()) {
                moveOn(now);
            } else if (batch.get().lastRevision() >= fromRevision) {
                return Optional.of(batch.get().from(fromRevision));
            }
        }
    }

    private void moveOn(SegmentsView now) throws IOException {
        LogPosition end = scanner.position();
        Segment next = now.holding(end.revision() + 1)
                .orElseThrow(() -> new CompactedException(end.revision() + 1, oldest(now)));
        if (next.firstRevision() != end.revision() + 1) {
            String problem = scanner.problem().isEmpty() ? "there is no frame here" : scanner.problem();
            throw new LogDamagedException(segment.name(), scanner.badOffset(), end.revision() + 1, problem);
        }
        file.close();
        open(next, now);
        LogPosition start = next.start(file);
        requireContinuation(end, start, next);
        scanner = next.scan(file, start);
    }

    static void requireContinuation(LogPosition end, LogPosition start, Segment next) throws LogDamagedException {
        if (start.revision() != end.revision() || start.chain() != end.chain()) {
            throw new LogDamagedException(
                    next.name(), 0, end.revision() + 1, "this segment does not continue the one before it");
        }
    }

    private void open(Segment opened, SegmentsView now) throws IOException {
        try {
            file = opened.open();
            segment = opened;
        } catch (NoSuchFileException e) {
            throw new CompactedException(opened.firstRevision(), oldest(now));
        }
    }

    private static long oldest(SegmentsView now) {
        return now.segments().get(0).firstRevision();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
