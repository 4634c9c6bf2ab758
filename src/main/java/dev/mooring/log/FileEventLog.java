package dev.mooring.log;

import dev.mooring.model.CompactedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
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
 * <p>Threading: {@link #append} and {@link #recover} belong to one thread at a time; the rest may be called by anybody. What readers
 * see is one immutable {@link LogReader.View}, replaced after each sync.
 *
 * <p>Three ways for an append to end: it returns (durable); the disk fails ({@link #failure()} is set and stays until the
 * process is started anew: the kernel may have dropped the pages of a failed sync and call the next one a success, so nothing is
 * tried again); the thread is killed in it (the end of the log is unknown until {@link #recover}).
 */
public final class FileEventLog implements EventLog {
    private static final Logger LOG = LoggerFactory.getLogger(FileEventLog.class);

    private final Disk disk;
    private final Path directory;
    private final long segmentBytes;
    private final Clock clock;
    private final Closeable lock;
    private final Snapshots snapshots;
    private final SyncFailureNote note;
    private final BatchEncoder encoder = new BatchEncoder();

    /** Held while {@link #view} is replaced: the appending thread adds to it, retention takes away from it. */
    private final Object viewChange = new Object();

    private SegmentWriter writer;
    private boolean appending;
    private volatile LogReader.View view;
    private volatile String failure = "";

    private FileEventLog(Disk disk, Path directory, long segmentBytes, Clock clock, Closeable lock) {
        this.disk = disk;
        this.directory = directory;
        this.segmentBytes = segmentBytes;
        this.clock = clock;
        this.lock = lock;
        this.note = new SyncFailureNote(disk, directory);
        this.snapshots = new Snapshots(
                disk,
                directory,
                (name, damage) -> LOG.atWarn()
                        .addKeyValue("snapshot", name)
                        .log("A snapshot is damaged and passed over: {}", damage.getMessage()));
    }

    /**
     * Opens the log in a directory, making it if there is none, and hands all it holds to {@code restore}: on another thread perhaps, but
     * one call after another, and all of them before this returns.
     *
     * @param segmentBytes the size at which a new segment is started
     * @throws LogDamagedException if something that had been committed is not readable
     */
    public static FileEventLog open(Disk disk, Path directory, long segmentBytes, Clock clock, Restore restore)
            throws IOException {
        disk.createDirectories(directory);
        Closeable lock = disk.lock(directory.resolve(LogFiles.LOCK));
        FileEventLog log = new FileEventLog(disk, directory, segmentBytes, clock, lock);
        try {
            log.load(restore);
            return log;
        } catch (IOException | RuntimeException e) {
            log.close();
            throw e;
        }
    }

    private void load(Restore restore) throws IOException {
        LogFiles.removeUnfinished(disk, directory);
        boolean pagesInDoubt = note.saysFailed();
        Optional<Snapshot> snapshot = snapshots.newestUpTo(Long.MAX_VALUE);
        List<Segment> segments = new ArrayList<>();
        for (long first : LogFiles.segments(disk, directory)) {
            segments.add(Segment.existing(disk, directory, first));
        }
        if (segments.isEmpty()) {
            if (snapshot.isPresent()) {
                throw new LogDamagedException(
                        LogFiles.segment(1), 0, 1, "there are snapshots in " + directory + " but no segment");
            }
            writer = SegmentWriter.create(disk, directory, segmentBytes, LogPosition.BEGINNING, clock.millis());
            view = new LogReader.View(List.of(writer.segment()), LogPosition.BEGINNING);
        } else {
            LogPosition end;
            try (RestoreAhead ahead = new RestoreAhead(restore)) {
                end = new Replay(segments, snapshot).run(ahead);
                ahead.finish();
            }
            Segment last = segments.get(segments.size() - 1);
            if (pagesInDoubt) {
                rewrite(last, end);
            }
            writer = SegmentWriter.resume(disk, last, segmentBytes, end);
            view = new LogReader.View(List.copyOf(segments), end);
        }
        note.writeWell();
    }

    /**
     * After a failed sync the pages of the last segment may be in memory, look clean, and not be on the disk. While that memory lives
     * no sync would write them: so they are written anew, into another file.
     */
    private void rewrite(Segment segment, LogPosition end) throws IOException {
        LOG.atWarn()
                .addKeyValue("segment", segment.name())
                .log("A sync of the log had failed in the process before this one; its last segment is written anew");
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
            throw new IllegalArgumentException("Expected a batch that starts with revision " + (end.revision() + 1)
                    + ", but it starts with " + batch.firstRevision());
        }
        ByteBuffer bytes = encoder.encode(batch, end.chain());
        int size = bytes.remaining();
        appending = true;
        try {
            boolean full = end.offset() + size > segmentBytes && end.offset() > Frames.SEGMENT_HEADER;
            if (full) {
                end = roll(end);
            }
            writer.append(end.offset(), bytes);
        } catch (ClosedChannelException e) {
            throw new LogFailedException("The thread that writes the log was stopped while it wrote", e);
        } catch (IOException e) {
            throw isShortOfFiles(e) ? untilThereAreFewer(e) : fail(e);
        }
        long time = batch.events().get(batch.events().size() - 1).time().toEpochMilli();
        LogPosition now = new LogPosition(
                batch.lastRevision(), end.segment(), end.offset() + size, encoder.chain(), batch.digest(), time);
        writer.segment().noteBatch(now);
        synchronized (viewChange) {
            view = new LogReader.View(view.segments(), now);
        }
        appending = false;
    }

    private LogPosition roll(LogPosition end) throws IOException {
        writer.seal(end.offset());
        writer = SegmentWriter.create(disk, directory, segmentBytes, end, clock.millis());
        LogPosition start = end.in(writer.segment().firstRevision(), Frames.SEGMENT_HEADER);
        synchronized (viewChange) {
            List<Segment> segments = new ArrayList<>(view.segments());
            segments.add(writer.segment());
            view = new LogReader.View(List.copyOf(segments), start);
        }
        return start;
    }

    private LogFailedException fail(IOException cause) {
        failure = "The log could not be written (" + cause.getMessage()
                + "). Nothing that was acknowledged is lost, but nothing more"
                + " is accepted: make room or mend the disk under " + directory + ", then restart Mooring";
        LOG.atError().setCause(cause).log("{}", failure);
        try {
            note.writeFailed();
        } catch (IOException e) {
            LOG.atWarn().log("The failure could not be noted beside the log: {}", e.getMessage());
        }
        return new LogFailedException(failure, cause);
    }

    /** Clients may hold all files that this process may open. That says nothing about the disk, and passes when they go. */
    private static boolean isShortOfFiles(IOException e) {
        return e instanceof FileSystemException file
                && String.valueOf(file.getReason()).startsWith("Too many open files");
    }

    /** As if the thread had been killed: nothing but {@link #recover} finds out how far it came. */
    private static LogFailedException untilThereAreFewer(IOException cause) {
        return new LogFailedException("The log could not open a file (" + cause.getMessage() + "); recover it", cause);
    }

    private void requireUsable() throws LogFailedException {
        if (!failure.isEmpty()) {
            throw new LogFailedException(failure);
        }
        if (appending) {
            throw new LogFailedException("The end of the log is unknown since its writer was killed; recover it first");
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
                    added.add(Segment.existing(disk, directory, first));
                }
            }
            segments.addAll(added);
            LogPosition end = new Replay(segments, view.end()).run(Replay.IGNORE);
            writer = SegmentWriter.resume(disk, segments.get(segments.size() - 1), segmentBytes, end);
            synchronized (viewChange) {
                // Retention may have taken some away meanwhile.
                List<Segment> kept = new ArrayList<>(view.segments());
                kept.addAll(added);
                view = new LogReader.View(List.copyOf(kept), end);
            }
            appending = false;
        } catch (ClosedChannelException e) {
            throw new LogFailedException(
                    "The thread that recovers the log was stopped while it did; recover it again", e);
        } catch (IOException e) {
            throw isShortOfFiles(e) ? untilThereAreFewer(e) : fail(e);
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

    /** How much log there is behind a place, as far as it is kept. */
    public long bytesSince(LogPosition position) throws IOException {
        LogReader.View now = view;
        long total = 0;
        for (Segment segment : now.segments()) {
            if (segment.firstRevision() >= position.segment()) {
                boolean isLast = segment.firstRevision() == now.end().segment();
                total += isLast ? now.end().offset() : segment.size();
                total -= segment.firstRevision() == position.segment() ? position.offset() : Frames.SEGMENT_HEADER;
            }
        }
        return total;
    }

    /**
     * Cuts off the oldest history as far as {@code retention} lets go of it. Whoever still reads there gets a
     * {@link CompactedException}. For one thread, and not the appending one: it reads headers and syncs the directory.
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
            view = new LogReader.View(List.copyOf(all.subList(count, all.size())), view.end());
        }
        for (Segment segment : dropped) {
            disk.delete(segment.path());
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
                .log("History was cut off as log.retention asks");
        return dropped.size();
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
}
