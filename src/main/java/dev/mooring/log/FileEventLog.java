package dev.mooring.log;

import dev.mooring.model.CompactedException;
import dev.mooring.model.SearchOrder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The embedded event log: segment files in a directory that one process at a time may write.
 *
 * <p>Threading: {@link #append} and {@link #recover} are called by one thread at a time; the other methods are
 * thread-safe. Readers see an immutable {@link LogReader.SegmentsView}, which is replaced after each sync.
 *
 * <p>An append ends in one of three ways: it returns (durable); the disk fails ({@link #failure()} is set until the
 * process restarts, and nothing is retried, because the kernel may have dropped the pages of a failed sync and report
 * success for the next one); its thread is killed (the end of the log is unknown until {@link #recover}).
 */
public final class FileEventLog implements EventLog {
    private static final Logger LOG = LoggerFactory.getLogger(FileEventLog.class);

    private final Disk disk;
    private final Path directory;
    private final long segmentBytes;
    private final Clock clock;
    private final Closeable lock;
    private final Snapshots snapshots;
    private final SyncFailureMarker syncFailureMarker;
    private final Encryption encryption;
    private final BatchEncoder encoder;

    /** Guards the replacement of {@link #view}: the appending thread adds segments, retention removes them. */
    private final Object viewChange = new Object();

    private SegmentWriter writer;
    private boolean appending;
    private volatile LogReader.SegmentsView view;
    private volatile String failure = "";

    private FileEventLog(
            Disk disk, Path directory, long segmentBytes, Clock clock, Encryption encryption, Closeable lock) {
        this.disk = disk;
        this.directory = directory;
        this.segmentBytes = segmentBytes;
        this.clock = clock;
        this.lock = lock;
        this.encryption = encryption;
        this.encoder = new BatchEncoder(encryption);
        this.syncFailureMarker = new SyncFailureMarker(disk, directory);
        this.snapshots = new Snapshots(
                disk,
                directory,
                encryption,
                (name, damage) -> LOG.atWarn()
                        .addKeyValue("snapshot", name)
                        .log("Skipped damaged snapshot: {}", damage.getMessage()));
    }

    /**
     * Opens the log in a directory, creating it if needed, and passes its content to {@code restore}: possibly on
     * another thread, but sequentially, and completed before this returns.
     *
     * @param segmentBytes the size at which a new segment is started
     * @throws LogDamagedException if committed content is not readable
     */
    public static FileEventLog open(Disk disk, Path directory, long segmentBytes, Clock clock, RestoreTarget restore)
            throws IOException {
        return open(disk, directory, segmentBytes, clock, Encryption.NONE, restore);
    }

    /**
     * Opens the log with encrypted Secrets.
     *
     * @throws EncryptionKeyException if the log is encrypted with a key that is not in {@code encryption}
     */
    public static FileEventLog open(
            Disk disk, Path directory, long segmentBytes, Clock clock, Encryption encryption, RestoreTarget restore)
            throws IOException {
        disk.createDirectories(directory);
        Closeable lock = disk.lock(directory.resolve(LogFiles.LOCK));
        FileEventLog log = new FileEventLog(disk, directory, segmentBytes, clock, encryption, lock);
        try {
            log.load(restore);
            return log;
        } catch (IOException | RuntimeException e) {
            log.close();
            throw e;
        }
    }

    private void load(RestoreTarget restore) throws IOException {
        LogRewrite.recover(disk, directory);
        LogFiles.removeUnfinished(disk, directory);
        boolean pagesInDoubt = syncFailureMarker.isFailed();
        List<Long> kept = snapshots.revisions();
        if (!kept.isEmpty()) {
            restore.snapshotSize(snapshots.size(kept.get(kept.size() - 1)));
        }
        Optional<Snapshot> snapshot = snapshots.newestUpTo(Long.MAX_VALUE);
        List<Segment> segments = new ArrayList<>();
        for (long first : LogFiles.segments(disk, directory)) {
            segments.add(Segment.existing(disk, directory, first, encryption));
        }
        requireKeys(segments);
        if (segments.isEmpty()) {
            if (snapshot.isPresent()) {
                throw new LogDamagedException(
                        LogFiles.segment(1), 0, 1, "there are snapshots in " + directory + " but no segment");
            }
            writer = SegmentWriter.create(
                    disk, directory, segmentBytes, LogPosition.BEGINNING, clock.millis(), encryption);
            view = new LogReader.SegmentsView(List.of(writer.segment()), LogPosition.BEGINNING);
        } else {
            LogPosition end;
            try (PipelinedRestore ahead = new PipelinedRestore(restore)) {
                end = new Replay(segments, snapshot).run(ahead);
                ahead.finish();
            }
            Segment last = segments.get(segments.size() - 1);
            if (pagesInDoubt) {
                rewrite(last, end);
            }
            writer = SegmentWriter.resume(disk, last, segmentBytes, end);
            view = new LogReader.SegmentsView(List.copyOf(segments), end);
            if (last.keyMark() != encryption.keyMark()) {
                roll(end);
            }
        }
        syncFailureMarker.writeOk();
    }

    /**
     * Checks that the keys of all segments are available. A segment has one key, so this verifies at startup that all
     * history is readable.
     */
    private void requireKeys(List<Segment> segments) throws IOException {
        for (Segment segment : segments) {
            encryption.requireKey(segment.keyMark());
        }
    }

    /**
     * Rewrites the last segment into another file after a failed sync. Its pages may be in the page cache, marked
     * clean, and not be on disk; no later sync would write them.
     */
    private void rewrite(Segment segment, LogPosition end) throws IOException {
        LOG.atWarn()
                .addKeyValue("segment", segment.name())
                .log("Previous process failed to sync the log; rewriting the last segment");
        Path copy = directory.resolve(segment.name() + LogFiles.UNFINISHED);
        try (Disk.DiskFile from = segment.open();
                Disk.DiskFile to = disk.openForWriting(copy)) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
            for (long at = 0; at < end.offset(); at += buffer.limit()) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), end.offset() - at));
                from.read(at, buffer);
                to.write(at, buffer.flip());
            }
            to.sync();
        }
        disk.rename(copy, segment.path());
        disk.syncDirectory(directory);
    }

    @Override
    public void append(Batch batch) throws LogFailedException {
        requireUsable();
        LogPosition end = view.end();
        if (batch.firstRevision() != end.revision() + 1) {
            throw new IllegalArgumentException(
                    "Batch must start with revision " + (end.revision() + 1) + ", got " + batch.firstRevision());
        }
        ByteBuffer bytes = encoder.encode(batch, end.chain());
        int size = bytes.remaining();
        appending = true;
        try {
            boolean full = end.offset() + size > segmentBytes && end.offset() > SegmentFormat.SEGMENT_HEADER;
            if (full) {
                end = roll(end);
            }
            writer.append(end.offset(), bytes);
        } catch (ClosedChannelException e) {
            throw new LogFailedException("The log writer's thread was stopped during a write", e);
        } catch (IOException e) {
            throw isFileLimitReached(e) ? fileLimitReached(e) : fail(e);
        }
        long time = batch.events().get(batch.events().size() - 1).time().toEpochMilli();
        LogPosition now = new LogPosition(
                batch.lastRevision(), end.segment(), end.offset() + size, encoder.chain(), batch.digest(), time);
        writer.segment().noteBatch(batch, now);
        synchronized (viewChange) {
            view = new LogReader.SegmentsView(view.segments(), now);
        }
        appending = false;
    }

    private LogPosition roll(LogPosition end) throws IOException {
        writer.seal(end.offset());
        writer.segment().seal();
        writer = SegmentWriter.create(disk, directory, segmentBytes, end, clock.millis(), encryption);
        LogPosition start = end.in(writer.segment().firstRevision(), SegmentFormat.SEGMENT_HEADER);
        synchronized (viewChange) {
            List<Segment> segments = new ArrayList<>(view.segments());
            // A segment without a batch has the same name and was replaced.
            segments.removeIf(segment -> segment.firstRevision() == start.segment());
            segments.add(writer.segment());
            view = new LogReader.SegmentsView(List.copyOf(segments), start);
        }
        return start;
    }

    private LogFailedException fail(IOException cause) {
        failure = "Failed to write the log (" + cause.getMessage()
                + "). No acknowledged event is lost, but no further events"
                + " are accepted: make room or repair the disk under " + directory + ", then restart Mooring";
        LOG.atError().setCause(cause).log("{}", failure);
        try {
            syncFailureMarker.writeFailed();
        } catch (IOException e) {
            LOG.atWarn().log("Failed to write sync failure marker: {}", e.getMessage());
        }
        return new LogFailedException(failure, cause);
    }

    /**
     * Returns whether the process has reached its limit of open files. That is caused by clients, does not concern the
     * disk, and is temporary.
     */
    private static boolean isFileLimitReached(IOException e) {
        return e instanceof FileSystemException file
                && String.valueOf(file.getReason()).startsWith("Too many open files");
    }

    /** Handles the error as if the thread had been killed: {@link #recover} determines how far the append came. */
    private static LogFailedException fileLimitReached(IOException cause) {
        return new LogFailedException(
                "Failed to open a file of the log (" + cause.getMessage() + "); recover the log", cause);
    }

    private void requireUsable() throws LogFailedException {
        if (!failure.isEmpty()) {
            throw new LogFailedException(failure);
        }
        if (appending) {
            throw new LogFailedException(
                    "The end of the log is unknown because its writer was killed; recover the log first");
        }
    }

    @Override
    public void recover() throws LogFailedException {
        if (!failure.isEmpty()) {
            throw new LogFailedException(failure);
        }
        if (!appending) {
            return;
        }
        try {
            writer.close();
            List<Segment> segments = new ArrayList<>(view.segments());
            long newest = segments.get(segments.size() - 1).firstRevision();
            List<Segment> added = new ArrayList<>();
            for (long first : LogFiles.segments(disk, directory)) {
                if (first > newest) {
                    added.add(Segment.existing(disk, directory, first, encryption));
                }
            }
            segments.addAll(added);
            LogPosition end = new Replay(segments, view.end()).run(Replay.IGNORE);
            // A new instance, because the index of the old one may lack the batch that was being appended.
            Segment last = Segment.existing(disk, directory, end.segment(), encryption);
            writer = SegmentWriter.resume(disk, last, segmentBytes, end);
            segments.forEach(Segment::seal);
            synchronized (viewChange) {
                // Retention may have removed some segments meanwhile.
                List<Segment> kept = new ArrayList<>(view.segments());
                kept.addAll(added);
                kept.set(kept.size() - 1, last);
                view = new LogReader.SegmentsView(List.copyOf(kept), end);
            }
            appending = false;
        } catch (ClosedChannelException e) {
            throw new LogFailedException("The thread was stopped during recovery; recover the log again", e);
        } catch (IOException e) {
            throw isFileLimitReached(e) ? fileLimitReached(e) : fail(e);
        }
    }

    @Override
    public LogPosition end() {
        return view.end();
    }

    @Override
    public long firstRevision() {
        return view.segments().get(0).firstRevision();
    }

    /** Returns the retained log size after a position, in bytes. */
    public long bytesSince(LogPosition position) throws IOException {
        LogReader.SegmentsView now = view;
        long total = 0;
        for (Segment segment : now.segments()) {
            if (segment.firstRevision() >= position.segment()) {
                boolean isLast = segment.firstRevision() == now.end().segment();
                total += isLast ? now.end().offset() : segment.size();
                total -= segment.firstRevision() == position.segment()
                        ? position.offset()
                        : SegmentFormat.SEGMENT_HEADER;
            }
        }
        return total;
    }

    /**
     * Removes the oldest history that {@code retention} does not keep. Readers there get a {@link CompactedException}.
     * Called by one thread other than the appending one, because it reads headers and syncs the directory.
     *
     * @return the number of segments removed
     */
    public int applyRetention(Retention retention) throws IOException {
        int count = retention.segmentsToDrop(view.segments(), snapshots.revisions(), clock.millis());
        if (count == 0) {
            return 0;
        }
        List<Segment> dropped;
        synchronized (viewChange) {
            List<Segment> all = view.segments();
            dropped = all.subList(0, count);
            view = new LogReader.SegmentsView(List.copyOf(all.subList(count, all.size())), view.end());
        }
        for (Segment segment : dropped) {
            segment.delete();
        }
        long first = firstRevision();
        for (long snapshot : snapshots.revisions()) {
            if (snapshot < first - 1) {
                snapshots.delete(snapshot);
            }
        }
        disk.syncDirectory(directory);
        LOG.atInfo()
                .addKeyValue("segments", dropped.size())
                .addKeyValue("oldestRevision", first)
                .log("Removed old segments according to log.retention");
        return dropped.size();
    }

    /**
     * Writes the indexes of sealed segments that have none, or have it in memory. Called by one thread other than the
     * appending one.
     */
    public void storeIndexes() throws IOException {
        for (Segment segment : view.segments()) {
            if (segment.needsStoredIndex()) {
                try {
                    segment.storeIndex();
                } catch (NoSuchFileException e) {
                    LOG.atDebug().addKeyValue("segment", segment.name()).log("Segment was removed meanwhile");
                }
            }
        }
    }

    @Override
    public RevisionReader find(EventTerm term, long from, long to, SearchOrder order) {
        return new RevisionFinder(view, term, from, to, order);
    }

    @Override
    public long revisionAt(long timeMillis) throws IOException {
        return RevisionFinder.revisionAt(view, timeMillis);
    }

    @Override
    public EventReader read(long fromRevision) throws IOException {
        return LogReader.from(() -> view, fromRevision);
    }

    @Override
    public EventReader readAfter(LogPosition position) throws IOException {
        return LogReader.after(() -> view, position);
    }

    @Override
    public Snapshots snapshots() {
        return snapshots;
    }

    @Override
    public Optional<String> failure() {
        return failure.isEmpty() ? Optional.empty() : Optional.of(failure);
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            if (writer != null) {
                writer.close();
            }
        }
    }

    /**
     * A file beside the log that records a failed sync for the next process.
     *
     * <p>After a failed sync the kernel may keep the pages in memory, mark them clean and never write them: the log
     * would read back correctly, and yet not be on disk. The next process therefore rewrites the last segment. The
     * problem exists only as long as the page cache does, so the marker need not be synced: both are lost together.
     * Both states have the same length and the file is created in advance, so that a full disk cannot prevent the
     * marker.
     */
    private static final class SyncFailureMarker {
        private static final byte[] OK = "open       \n".getBytes(StandardCharsets.US_ASCII);
        private static final byte[] FAILED = "sync failed\n".getBytes(StandardCharsets.US_ASCII);

        private final Disk disk;
        private final Path file;

        SyncFailureMarker(Disk disk, Path directory) {
            this.disk = disk;
            this.file = directory.resolve(LogFiles.STATE);
        }

        boolean isFailed() throws IOException {
            if (!disk.exists(file)) {
                return false;
            }
            ByteBuffer content = ByteBuffer.allocate(FAILED.length);
            try (Disk.DiskFile open = disk.openForReading(file)) {
                open.read(0, content);
            }
            return content.flip().equals(ByteBuffer.wrap(FAILED));
        }

        void writeOk() throws IOException {
            write(OK);
        }

        void writeFailed() throws IOException {
            write(FAILED);
        }

        private void write(byte[] text) throws IOException {
            try (Disk.DiskFile open = disk.openForWriting(file)) {
                open.write(0, ByteBuffer.wrap(text));
            }
        }
    }
}
