package dev.mooring.log;

import dev.mooring.model.CompactedException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads the batches of a segmented log across its segments, up to the durable end at the time of each call. */
final class LogReader implements EventReader {
    /** What a reader may see at one moment. The segments are ascending. */
    record View(List<Segment> segments, LogPosition end) {
        /** How far a segment may be read: the last one only to the durable end. */
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

    private final Supplier<View> view;
    private final long fromRevision;
    private Segment segment;
    private Disk.DiskFile file;
    private SegmentScanner scanner;

    private LogReader(Supplier<View> view, long fromRevision, View now) throws IOException {
        this.view = view;
        this.fromRevision = fromRevision;
        open(now.holding(fromRevision).orElseThrow(() -> new CompactedException(fromRevision, oldest(now))), now);
    }

    /** Reads from a revision on, which is searched for. */
    static LogReader from(Supplier<View> view, long revision) throws IOException {
        View now = view.get();
        LogReader reader = new LogReader(view, revision, now);
        try {
            LogPosition closest = reader.segment.closestBefore(revision, reader.file, now.limit(reader.segment));
            reader.scanner = new SegmentScanner(reader.file, closest);
            return reader;
        } catch (IOException | RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    /** Reads from a known place on. */
    static LogReader after(Supplier<View> view, LogPosition position) throws IOException {
        View now = view.get();
        LogReader reader = new LogReader(view, position.revision() + 1, now);
        boolean startsASegment = reader.segment.firstRevision() != position.segment();
        reader.scanner = new SegmentScanner(reader.file, startsASegment ? reader.segment.start(reader.file) : position);
        return reader;
    }

    @Override
    public Optional<Batch> next() throws IOException {
        while (true) {
            View now = view.get();
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

    private void moveOn(View now) throws IOException {
        LogPosition end = scanner.position();
        Segment next = now.holding(end.revision() + 1)
                .orElseThrow(() -> new CompactedException(end.revision() + 1, oldest(now)));
        if (next.firstRevision() != end.revision() + 1) {
            String problem = scanner.problem().isEmpty() ? "nothing is there" : scanner.problem();
            throw new LogDamagedException(segment.name(), scanner.badOffset(), end.revision() + 1, problem);
        }
        file.close();
        open(next, now);
        LogPosition start = next.start(file);
        requireContinuation(end, start, next);
        scanner = new SegmentScanner(file, start);
    }

    static void requireContinuation(LogPosition end, LogPosition start, Segment next) throws LogDamagedException {
        if (start.revision() != end.revision() || start.chain() != end.chain()) {
            throw new LogDamagedException(
                    next.name(), 0, end.revision() + 1, "this segment does not continue the one before it");
        }
    }

    private void open(Segment which, View now) throws IOException {
        try {
            file = which.open();
            segment = which;
        } catch (NoSuchFileException e) {
            throw new CompactedException(which.firstRevision(), oldest(now));
        }
    }

    private static long oldest(View now) {
        return now.segments().get(0).firstRevision();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
