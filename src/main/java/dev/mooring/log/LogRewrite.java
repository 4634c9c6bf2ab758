package dev.mooring.log;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Rewrites a log with other contents of past objects, or another encryption, and replaces the old log atomically.
 * Revisions, batches and file names stay the same. Holds the log's lock until it is closed. Not thread-safe.
 *
 * <p>The new files are written beside the old ones as {@code NAME.new} and synced. Then a marker {@code rewrite} is
 * made durable: from then on the new files are the log. After a crash before that, the old log is valid, and
 * {@link #recover} removes the new files at the next start; after a crash later, {@link #recover} completes the
 * renames.
 *
 * <p>The digest of the World is a sum over its objects. So the digest after each batch is the old one plus the
 * differences of the replaced objects that exist at that point; no World is needed to compute it.
 */
public final class LogRewrite implements Closeable {
    private final Disk disk;
    private final Path directory;
    private final Clock clock;
    private final Closeable lock;
    private final Set<String> deleted = new TreeSet<>();
    private int segments;
    private int snapshots;

    private LogRewrite(Disk disk, Path directory, Clock clock, Closeable lock) {
        this.disk = disk;
        this.directory = directory;
        this.clock = clock;
        this.lock = lock;
    }

    /**
     * Locks a log, and completes or removes the files of an interrupted rewrite.
     *
     * @throws LogInUseException if a server runs on it
     */
    public static LogRewrite begin(Disk disk, Path directory, Clock clock) throws IOException {
        Closeable lock = disk.lock(directory.resolve(LogFiles.LOCK));
        try {
            recover(disk, directory);
            LogFiles.removeUnfinished(disk, directory);
            return new LogRewrite(disk, directory, clock, lock);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** Completes a committed rewrite, or removes the files of an uncommitted one. The caller must hold the lock. */
    static void recover(Disk disk, Path directory) throws IOException {
        Path marker = directory.resolve(LogFiles.REWRITE);
        boolean counts = disk.exists(marker);
        for (String name : disk.list(directory)) {
            if (name.endsWith(LogFiles.REWRITTEN)) {
                Path rewritten = directory.resolve(name);
                if (counts) {
                    String place = name.substring(0, name.length() - LogFiles.REWRITTEN.length());
                    disk.rename(rewritten, directory.resolve(place));
                } else {
                    disk.delete(rewritten);
                }
            }
        }
        if (counts) {
            for (String name : RewrittenDisk.deleted(disk, directory)) {
                disk.delete(directory.resolve(name));
            }
            disk.syncDirectory(directory);
            disk.delete(marker);
            disk.syncDirectory(directory);
        }
    }

    /** Returns the number of rewritten segments. */
    public int segments() {
        return segments;
    }

    /** Returns the number of rewritten snapshots. */
    public int snapshots() {
        return snapshots;
    }

    /**
     * Writes the new files.
     *
     * @param from the first revision of the first segment to rewrite; earlier segments are unchanged
     * @param source encryption of the old log
     * @param target encryption of the new log
     * @param edit returns the new object; the same object if nothing changes
     * @param last returns the final event of the new log, given its position
     * @throws LogDamagedException if the old log is damaged
     */
    public void write(
            long from,
            Encryption source,
            Encryption target,
            UnaryOperator<StoredObject> edit,
            Function<LogPosition, Event> last)
            throws IOException {
        LogInspector old = new LogInspector(disk, directory, source);
        List<Long> all = LogFiles.segments(disk, directory);
        boolean whole = all.get(0) == from;
        Map<Long, LogPosition> ends = new HashMap<>();
        Set<Long> wanted = new TreeSet<>(old.snapshots().revisions());
        try (Writer writer = new Writer(from, source, target, edit)) {
            if (whole) {
                oldest(old, from).ifPresent(writer::startWith);
            }
            ends.put(from - 1, writer.position);
            old.walk(from, (batch, end) -> {
                writer.batch(batch, end);
                if (wanted.contains(batch.lastRevision())) {
                    ends.put(batch.lastRevision(), writer.position);
                }
                return true;
            });
            writer.finish(last);
        }
        Snapshots written = new Snapshots(disk, directory, target, (name, damage) -> {});
        for (long revision : wanted) {
            if (revision >= from - 1 || whole) {
                snapshot(old.snapshots(), written, revision, Optional.ofNullable(ends.get(revision)), edit);
            }
        }
        disk.syncDirectory(directory);
    }

    private static Optional<Snapshot> oldest(LogInspector old, long firstRevision) throws IOException {
        for (long revision :
                firstRevision == 1 ? List.<Long>of() : old.snapshots().revisions()) {
            if (revision >= firstRevision - 1) {
                try {
                    return Optional.of(old.snapshots().load(revision));
                } catch (LogDamagedException e) {
                    // Continue with the next snapshot, as at startup.
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Rewrites a snapshot. Drops one that is unreadable or matches no position in the log: it is useless, and may hold
     * content to be purged.
     */
    private void snapshot(
            Snapshots old,
            Snapshots written,
            long revision,
            Optional<LogPosition> position,
            UnaryOperator<StoredObject> edit)
            throws IOException {
        String name = LogFiles.snapshot(revision);
        if (position.isEmpty()) {
            deleted.add(name);
            return;
        }
        Snapshot snapshot;
        try {
            snapshot = old.load(revision);
        } catch (LogDamagedException e) {
            deleted.add(name);
            return;
        }
        List<StoredObject> objects = snapshot.objects().stream().map(edit).toList();
        written.write(directory.resolve(name + LogFiles.REWRITTEN), position.get(), objects.size(), objects);
        snapshots++;
    }

    /** Returns an inspector of the log as it will be. */
    public LogInspector rewritten(Encryption encryption) {
        return new LogInspector(new RewrittenDisk(disk, Optional.of(deleted)), directory, encryption);
    }

    /** Replaces the old log by the new one; durable when this returns. */
    public void commit() throws IOException {
        disk.syncDirectory(directory);
        Path marker = directory.resolve(LogFiles.REWRITE);
        Path unfinished = directory.resolve(LogFiles.REWRITE + LogFiles.UNFINISHED);
        try (Disk.DiskFile file = disk.openForWriting(unfinished)) {
            file.truncate(0);
            file.write(0, ByteBuffer.wrap(String.join("\n", deleted).getBytes(StandardCharsets.UTF_8)));
            file.sync();
        }
        disk.rename(unfinished, marker);
        disk.syncDirectory(directory);
        recover(disk, directory);
    }

    /** Removes uncommitted files and releases the lock. */
    @Override
    public void close() throws IOException {
        try (lock) {
            recover(disk, directory);
            LogFiles.removeUnfinished(disk, directory);
        }
    }

    /** Writes the segments, one after another. */
    private final class Writer implements Closeable {
        private final List<Long> firstRevisions;
        private final BatchEncoder encoder;
        private final Encryption target;
        private final UnaryOperator<StoredObject> edit;

        /** Differences between the new and old digests of the objects that currently exist. */
        private final Map<ObjectKey, Long> differences = new HashMap<>();

        private long difference;
        private int next;
        private Disk.DiskFile file;
        private LogPosition position;

        Writer(long from, Encryption source, Encryption target, UnaryOperator<StoredObject> edit) throws IOException {
            this.firstRevisions = LogFiles.segments(disk, directory).stream()
                    .filter(first -> first >= from)
                    .toList();
            this.encoder = new BatchEncoder(target);
            this.target = target;
            this.edit = edit;
            Segment segment = Segment.existing(disk, directory, from, source);
            try (Disk.DiskFile first = segment.open()) {
                position = segment.start(first);
            }
        }

        /** Starts with the objects that were written before the oldest event and are only in snapshots. */
        void startWith(Snapshot oldest) {
            for (StoredObject object : oldest.objects()) {
                if (object.revision() <= position.revision()) {
                    put(object, edit.apply(object));
                }
            }
            position = new LogPosition(
                    position.revision(),
                    position.segment(),
                    position.offset(),
                    position.chain(),
                    position.digest() + difference,
                    position.timeMillis());
        }

        void batch(Batch batch, LogPosition end) throws IOException {
            while (file == null || position.segment() != end.segment()) {
                nextSegment();
            }
            List<Event> events = new ArrayList<>(batch.events().size());
            for (Event event : batch.events()) {
                events.add(edited(event));
            }
            append(new Batch(events, batch.digest() + difference));
        }

        private Event edited(Event event) {
            List<Change> changes = new ArrayList<>(event.changes().size());
            for (Change change : event.changes()) {
                StoredObject now = edit.apply(change.object());
                remove(change.key());
                if (!change.isRemoval()) {
                    put(change.object(), now);
                }
                changes.add(new Change(change.kind(), now, change.prior()));
            }
            return new Event(event.revision(), event.time(), event.type(), event.actor(), event.cause(), changes);
        }

        private void put(StoredObject was, StoredObject is) {
            long differs = is.digest() - was.digest();
            if (differs != 0) {
                differences.put(was.key(), differs);
                difference += differs;
            }
        }

        private void remove(ObjectKey key) {
            Long differed = differences.remove(key);
            difference -= differed == null ? 0 : differed;
        }

        private void append(Batch batch) throws IOException {
            ByteBuffer bytes = encoder.encode(batch, position.chain());
            int size = bytes.remaining();
            file.write(position.offset(), bytes);
            position = new LogPosition(
                    batch.lastRevision(),
                    position.segment(),
                    position.offset() + size,
                    encoder.chain(),
                    batch.digest(),
                    batch.events().get(batch.events().size() - 1).time().toEpochMilli());
        }

        private void nextSegment() throws IOException {
            finishSegment();
            long first = firstRevisions.get(next++);
            if (first != position.revision() + 1) {
                throw new LogDamagedException(
                        LogFiles.segment(first),
                        0,
                        position.revision() + 1,
                        "this segment does not continue the one before it");
            }
            file = disk.openForWriting(directory.resolve(LogFiles.segment(first) + LogFiles.REWRITTEN));
            file.write(0, SegmentFormat.segmentHeader(position, clock.millis(), target));
            position = position.in(first, SegmentFormat.SEGMENT_HEADER);
            segments++;
        }

        private void finishSegment() throws IOException {
            if (file != null) {
                file.sync();
                close();
            }
        }

        /** Finishes the log. Only past contents may change: verifies that the final World is the same. */
        void finish(Function<LogPosition, Event> last) throws IOException {
            while (next < firstRevisions.size()) {
                nextSegment();
            }
            if (difference != 0) {
                throw new IllegalArgumentException(
                        "The newest versions of objects must not change, but " + differences.keySet() + " would");
            }
            Event event = last.apply(position);
            long added = 0;
            for (Change change : event.changes()) {
                added += change.object().digest();
            }
            append(new Batch(List.of(event), position.digest() + added));
            finishSegment();
        }

        @Override
        public void close() throws IOException {
            if (file != null) {
                file.close();
                file = null;
            }
        }
    }
}
