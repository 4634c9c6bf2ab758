package dev.mooring.log;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the files of a log without owning them: takes no lock, changes nothing, and works while a server writes.
 *
 * <p>A batch that is being written looks torn, or even damaged if it is completed between two reads; so the end of the
 * last segment is read again before it is reported.
 */
public final class LogInspector {
    /** Number of reads of the end of a segment that may be written to, before its state is reported. */
    private static final int MAX_READ_ATTEMPTS = 3;

    private final Disk disk;
    private final Path directory;
    private final Encryption encryption;
    private final Snapshots snapshots;

    /** Receives the batches and damages of a walk. */
    public interface Visitor {
        /**
         * Visits a committed batch.
         *
         * @return whether to continue
         */
        boolean batch(Batch batch, LogPosition end) throws IOException;

        /** Reports the number of bytes read so far. */
        default void progress(long bytes) {}

        /**
         * Visits a segment, or the rest of one, that cannot be read. The walk continues with the next segment, if there
         * is one.
         */
        default void damage(LogDamagedException damage) throws IOException {
            throw damage;
        }
    }

    /**
     * A segment file.
     *
     * @param name its name
     * @param firstRevision its first revision
     * @param bytes its size, including preallocated space
     * @param keyId the key of its Secrets; 0 if there is none
     */
    public record SegmentInfo(String name, long firstRevision, long bytes, int keyId) {}

    /**
     * The end of a walk.
     *
     * @param position the end of the last readable batch; empty if the log has none
     * @param tornTail whether an incomplete batch follows: one that is being written, or one that a crash cut off
     */
    public record End(Optional<LogPosition> position, boolean tornTail) {}

    public LogInspector(Disk disk, Path directory) {
        this(disk, directory, Encryption.NONE);
    }

    public LogInspector(Disk disk, Path directory, Encryption encryption) {
        this.disk = new RewrittenDisk(disk);
        this.directory = directory;
        this.encryption = encryption;
        this.snapshots = new Snapshots(this.disk, directory, encryption, (name, damage) -> {});
    }

    /**
     * Checks that the keys for the whole log are available.
     *
     * @throws EncryptionKeyException if a key is missing
     */
    public void requireKeys() throws IOException {
        for (SegmentInfo segment : segments()) {
            encryption.requireKey(Segment.existing(disk, directory, segment.firstRevision(), encryption)
                    .keyMark());
        }
    }

    /** Returns the ids of keys that were missing so far. */
    public Set<Integer> missingKeys() {
        return encryption.missingKeys();
    }

    public Snapshots snapshots() {
        return snapshots;
    }

    /** Returns the segments, oldest first. */
    public List<SegmentInfo> segments() throws IOException {
        List<SegmentInfo> found = new ArrayList<>();
        for (long first : LogFiles.segments(disk, directory)) {
            Segment segment = Segment.existing(disk, directory, first, encryption);
            try {
                found.add(new SegmentInfo(segment.name(), first, segment.size(), segment.keyMark() & 0xffff));
            } catch (NoSuchFileException gone) {
                // Retention removed the segment meanwhile.
            }
        }
        if (found.isEmpty()) {
            throw new NoSuchFileException(directory.toString(), null, "there is no log in this directory");
        }
        return found;
    }

    /** Walks over the batches, starting with the segment that contains a revision. */
    public End walk(long fromRevision, Visitor visitor) throws IOException {
        List<SegmentInfo> all = segments();
        int first = 0;
        while (first + 1 < all.size() && all.get(first + 1).firstRevision() <= fromRevision) {
            first++;
        }
        return walk(all.subList(first, all.size()), Optional.empty(), visitor);
    }

    /** Continues a walk after the position at which another one has ended. Reads only what was written since. */
    public End walk(LogPosition after, Visitor visitor) throws IOException {
        List<SegmentInfo> rest = segments().stream()
                .filter(segment -> segment.firstRevision() >= after.segment())
                .toList();
        boolean kept = !rest.isEmpty() && rest.get(0).firstRevision() == after.segment();
        return walk(rest, kept ? Optional.of(after) : Optional.empty(), visitor);
    }

    private End walk(List<SegmentInfo> segments, Optional<LogPosition> after, Visitor visitor) throws IOException {
        Walk walk = new Walk(visitor, after);
        for (int i = 0; i < segments.size() && walk.proceed; i++) {
            walk.segment(
                    Segment.existing(disk, directory, segments.get(i).firstRevision(), encryption),
                    i == segments.size() - 1);
        }
        return new End(Optional.ofNullable(walk.end), walk.torn);
    }

    private static final class Walk {
        private final Visitor visitor;
        private Optional<LogPosition> after;
        private LogPosition end;
        private boolean afterDamage;
        private boolean proceed = true;
        private boolean torn;
        private long bytes;

        Walk(Visitor visitor, Optional<LogPosition> after) {
            this.visitor = visitor;
            this.after = after;
        }

        void segment(Segment segment, boolean isLast) throws IOException {
            try (Disk.DiskFile file = segment.open()) {
                LogPosition start = segment.start(file);
                if (end != null && !afterDamage) {
                    LogReader.requireContinuation(end, start, segment);
                }
                afterDamage = false;
                long before = bytes;
                end = after.orElse(start);
                after = Optional.empty();
                for (int attempt = 0; proceed && attempt < MAX_READ_ATTEMPTS; attempt++) {
                    SegmentScanner scanner = segment.scan(file, end);
                    read(scanner, before);
                    if (proceed && isOver(file, segment, scanner, isLast, attempt == MAX_READ_ATTEMPTS - 1)) {
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
            while (proceed) {
                Optional<Batch> batch = scanner.next(Long.MAX_VALUE);
                if (batch.isEmpty()) {
                    return;
                }
                end = scanner.position();
                proceed = visitor.batch(batch.get(), end);
                visitor.progress(before + end.offset());
            }
        }

        /** Returns whether the segment has no more batches. */
        private boolean isOver(
                Disk.DiskFile file, Segment segment, SegmentScanner scanner, boolean isLast, boolean lastAttempt)
                throws IOException {
            TailClassifier.TailState verdict = TailClassifier.classify(file, end, scanner.badOffset());
            if (verdict == TailClassifier.TailState.CLEAN) {
                return true;
            }
            if (isLast && !lastAttempt) {
                return false;
            }
            if (verdict == TailClassifier.TailState.DAMAGED || !isLast) {
                String problem = scanner.problem().isEmpty() ? "there is no valid frame here" : scanner.problem();
                throw new LogDamagedException(segment.name(), scanner.badOffset(), end.revision() + 1, problem);
            }
            torn = true;
            return true;
        }
    }
}
