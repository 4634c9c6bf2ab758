package dev.mooring.log;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks at the files of a log without owning them: takes no lock, changes nothing, and works while a server writes there.
 *
 * <p>What a writer is just writing looks like a torn batch, or even a damaged one if it becomes whole between two looks; so the end of
 * the last segment is looked at again before anything is said of it.
 */
public final class LogInspector {
    /** Looks at the end of a segment that someone may be writing to, before what is there is taken for what it seems. */
    private static final int LOOKS = 3;

    private final Disk disk;
    private final Path directory;
    private final Snapshots snapshots;

    /** What a walk meets. */
    public interface Visitor {
        /**
         * A committed batch.
         *
         * @return whether to go on
         */
        boolean batch(Batch batch, LogPosition end) throws IOException;

        /** How many bytes have been walked over. */
        default void progress(long bytes) {}

        /** A segment, or the rest of one, cannot be read. The walk goes on with the next segment, if there is one. */
        default void damage(LogDamagedException damage) throws IOException {
            throw damage;
        }
    }

    /**
     * A segment file.
     *
     * @param name its name
     * @param firstRevision its first revision
     * @param bytes its size, including what is preallocated
     */
    public record SegmentInfo(String name, long firstRevision, long bytes) {}

    /**
     * Where a walk ended.
     *
     * @param position the end of the last batch that could be read; empty if the log has none
     * @param tornTail whether something incomplete stands behind it: a batch being written now, or one that a crash cut off
     */
    public record End(Optional<LogPosition> position, boolean tornTail) {}

    public LogInspector(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
        this.snapshots = new Snapshots(disk, directory, (name, damage) -> {});
    }

    public Snapshots snapshots() {
        return snapshots;
    }

    /** The segments, oldest first. */
    public List<SegmentInfo> segments() throws IOException {
        List<SegmentInfo> found = new ArrayList<>();
        for (long first : LogFiles.segments(disk, directory)) {
            Segment segment = Segment.existing(disk, directory, first);
            try {
                found.add(new SegmentInfo(segment.name(), first, segment.size()));
            } catch (NoSuchFileException gone) {
                // Retention was faster: it is no longer part of the log.
            }
        }
        if (found.isEmpty()) {
            throw new NoSuchFileException(directory.toString(), null, "there is no log in this directory");
        }
        return found;
    }

    /** Walks over the batches, starting with the segment that holds a revision. */
    public End walk(long fromRevision, Visitor visitor) throws IOException {
        List<SegmentInfo> all = segments();
        int first = 0;
        while (first + 1 < all.size() && all.get(first + 1).firstRevision() <= fromRevision) {
            first++;
        }
        Walk walk = new Walk(visitor);
        for (int i = first; i < all.size() && walk.goesOn; i++) {
            walk.segment(Segment.existing(disk, directory, all.get(i).firstRevision()), i == all.size() - 1);
        }
        return new End(Optional.ofNullable(walk.end), walk.torn);
    }

    private static final class Walk {
        private final Visitor visitor;
        private LogPosition end;
        private boolean afterDamage;
        private boolean goesOn = true;
        private boolean torn;
        private long bytes;

        Walk(Visitor visitor) {
            this.visitor = visitor;
        }

        void segment(Segment segment, boolean isLast) throws IOException {
            try (Disk.DiskFile file = segment.open()) {
                LogPosition start = segment.start(file);
                if (end != null && !afterDamage) {
                    LogReader.requireContinuation(end, start, segment);
                }
                afterDamage = false;
                long before = bytes;
                end = start;
                for (int look = 0; goesOn && look < LOOKS; look++) {
                    SegmentScanner scanner = new SegmentScanner(file, end);
                    read(scanner, before);
                    if (goesOn && isOver(file, segment, scanner, isLast, look == LOOKS - 1)) {
                        break;
                    }
                }
                bytes = before + file.size();
                visitor.progress(bytes);
            } catch (LogDamagedException damage) {
                afterDamage = true;
                visitor.damage(damage);
            }
        }

        private void read(SegmentScanner scanner, long before) throws IOException {
            while (goesOn) {
                Optional<Batch> batch = scanner.next(Long.MAX_VALUE);
                if (batch.isEmpty()) {
                    return;
                }
                end = scanner.position();
                goesOn = visitor.batch(batch.get(), end);
                visitor.progress(before + end.offset());
            }
        }

        /** Whether nothing more is to be expected in the segment. */
        private boolean isOver(
                Disk.DiskFile file, Segment segment, SegmentScanner scanner, boolean isLast, boolean lastLook)
                throws IOException {
            TailJudge.Verdict verdict = TailJudge.judge(file, end, scanner.badOffset());
            if (verdict == TailJudge.Verdict.CLEAN) {
                return true;
            }
            if (isLast && !lastLook) {
                return false;
            }
            if (verdict == TailJudge.Verdict.DAMAGED || !isLast) {
                String problem = scanner.problem().isEmpty() ? "what stands here is not a frame" : scanner.problem();
                throw new LogDamagedException(segment.name(), scanner.badOffset(), end.revision() + 1, problem);
            }
            torn = true;
            return true;
        }
    }
}
