package dev.mooring.log;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a log from a known position to its end when it is opened, and determines that end: it may be followed by a torn
 * batch, but not by damage.
 */
final class Replay {
    private static final Logger LOG = LoggerFactory.getLogger(Replay.class);

    static final RestoreTarget IGNORE = new RestoreTarget() {
        @Override
        public void snapshot(Snapshot snapshot) {}

        @Override
        public void batch(Batch batch) {}
    };

    private final List<Segment> segments;
    private final Optional<Snapshot> snapshot;
    private final Optional<LogPosition> known;

    /** Creates a replay from a snapshot, or from the beginning. */
    Replay(List<Segment> segments, Optional<Snapshot> snapshot) {
        this.segments = segments;
        this.snapshot = snapshot;
        this.known = snapshot.map(Snapshot::position);
    }

    /** Creates a replay from the end of a batch that is known to be durable. */
    Replay(List<Segment> segments, LogPosition known) {
        this.segments = segments;
        this.snapshot = Optional.empty();
        this.known = Optional.of(known);
    }

    /** Passes everything to {@code restore} and returns the end of the last complete batch. */
    LogPosition run(RestoreTarget restore) throws IOException {
        if (snapshot.isPresent()) {
            restore.snapshot(snapshot.get());
        }
        int first = firstSegment();
        LogPosition end = null;
        for (int i = first; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            boolean isLast = i == segments.size() - 1;
            try (Disk.DiskFile file = segment.open()) {
                LogPosition start = segment.start(file);
                if (end == null) {
                    start = known.orElse(start);
                    requireReachable(file, segment, start);
                } else {
                    LogReader.requireContinuation(end, start, segment);
                }
                end = scan(file, segment, start, isLast, restore);
            }
        }
        return end;
    }

    private int firstSegment() throws LogDamagedException {
        if (known.isEmpty()) {
            Segment oldest = segments.get(0);
            if (oldest.firstRevision() != 1) {
                throw new LogDamagedException(
                        oldest.name(),
                        0,
                        1,
                        "the log does not start with revision 1 and there is no readable snapshot");
            }
            return 0;
        }
        long wanted = known.get().segment();
        for (int i = 0; i < segments.size(); i++) {
            if (segments.get(i).firstRevision() == wanted) {
                return i;
            }
        }
        throw new LogDamagedException(
                LogFiles.segment(wanted),
                0,
                known.get().revision() + 1,
                "a snapshot continues in this segment, which is missing");
    }

    private static void requireReachable(Disk.DiskFile file, Segment segment, LogPosition start) throws IOException {
        if (start.offset() > file.size()) {
            throw new LogDamagedException(
                    segment.name(),
                    file.size(),
                    start.revision(),
                    "the file ends here, though everything up to offset " + start.offset() + " had been committed");
        }
    }

    private LogPosition scan(
            Disk.DiskFile file, Segment segment, LogPosition start, boolean isLast, RestoreTarget restore)
            throws IOException {
        SegmentScanner scanner = segment.scan(file, start);
        for (Optional<Batch> batch = scanner.next(Long.MAX_VALUE);
                batch.isPresent();
                batch = scanner.next(Long.MAX_VALUE)) {
            restore.batch(batch.get());
        }
        LogPosition end = scanner.position();
        TailClassifier.TailState verdict = TailClassifier.classify(file, end, scanner.badOffset());
        if (verdict == TailClassifier.TailState.DAMAGED || (verdict == TailClassifier.TailState.TORN && !isLast)) {
            String problem = scanner.problem().isEmpty() ? "there is no valid frame here" : scanner.problem();
            throw new LogDamagedException(segment.name(), scanner.badOffset(), end.revision() + 1, problem);
        }
        if (verdict == TailClassifier.TailState.TORN) {
            LOG.atInfo()
                    .addKeyValue("segment", segment.name())
                    .addKeyValue("offset", end.offset())
                    .addKeyValue("lastRevision", end.revision())
                    .log("Truncated incomplete batch at the end of the log; it was never acknowledged");
        }
        return end;
    }
}
