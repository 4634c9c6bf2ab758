package dev.mooring.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A segment file for readers: its location and a sparse index of its batches. The index of the active segment grows
 * with each append; that of an older one is built on the first read from its middle. Thread-safe.
 */
final class Segment {
    /** Index interval: a reader of a given revision reads at most about this much too much. */
    private static final long INDEX_EVERY = 32 << 10;

    private final Disk disk;
    private final Path path;
    private final long firstRevision;
    private final Encryption encryption;
    private final List<LogPosition> index = new ArrayList<>();
    private final Object indexing = new Object();
    private boolean indexed;

    private Segment(Disk disk, Path path, long firstRevision, Encryption encryption, boolean indexed) {
        this.disk = disk;
        this.path = path;
        this.firstRevision = firstRevision;
        this.encryption = encryption;
        this.indexed = indexed;
    }

    /** Creates an instance for an existing segment. */
    static Segment existing(Disk disk, Path directory, long firstRevision, Encryption encryption) {
        return new Segment(disk, directory.resolve(LogFiles.segment(firstRevision)), firstRevision, encryption, false);
    }

    /** Creates an instance for a new segment, each batch of which will be {@linkplain #noteBatch noted}. */
    static Segment created(Disk disk, Path directory, long firstRevision, Encryption encryption) {
        return new Segment(disk, directory.resolve(LogFiles.segment(firstRevision)), firstRevision, encryption, true);
    }

    long firstRevision() {
        return firstRevision;
    }

    Path path() {
        return path;
    }

    String name() {
        return path.getFileName().toString();
    }

    Disk.DiskFile open() throws IOException {
        return disk.openForReading(path);
    }

    long size() throws IOException {
        return disk.size(path);
    }

    /** Returns the start of the first batch. */
    LogPosition start(Disk.DiskFile file) throws IOException {
        return SegmentFormat.readSegmentHeader(header(file), name(), firstRevision, encryption);
    }

    /** Returns the {@linkplain Encryption#keyMark() mark} of the segment's key; 0 if there is none. */
    int keyMark() throws IOException {
        try (Disk.DiskFile file = open()) {
            return SegmentFormat.keyMark(header(file));
        }
    }

    private static ByteBuffer header(Disk.DiskFile file) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(SegmentFormat.SEGMENT_HEADER);
        file.read(0, header);
        return header.flip();
    }

    /** Returns a scanner of its batches from the end of one of them. */
    SegmentScanner scan(Disk.DiskFile file, LogPosition from) {
        return new SegmentScanner(file, from, encryption);
    }

    /** Adds the end of a durable batch to the index. */
    synchronized void noteBatch(LogPosition end) {
        if (indexed) {
            addSparsely(index, end);
        }
    }

    /** Returns the closest indexed position before a revision, from which a scan can start. */
    LogPosition closestBefore(long revision, Disk.DiskFile file, long limit) throws IOException {
        LogPosition start = start(file);
        if (revision <= firstRevision) {
            return start;
        }
        synchronized (indexing) {
            if (!isIndexed()) {
                makeIndex(file, start, limit);
            }
        }
        return search(revision).orElse(start);
    }

    /**
     * Builds the index. Only the last step holds the monitor that the appending thread needs. Batches appended
     * meanwhile may be missing, because the index is sparse.
     */
    private void makeIndex(Disk.DiskFile file, LogPosition start, long limit) throws IOException {
        List<LogPosition> found = new ArrayList<>();
        SegmentScanner scanner = scan(file, start);
        while (scanner.skip(limit)) {
            addSparsely(found, scanner.position());
        }
        synchronized (this) {
            index.addAll(found);
            indexed = true;
        }
    }

    private synchronized boolean isIndexed() {
        return indexed;
    }

    private synchronized Optional<LogPosition> search(long revision) {
        int low = 0;
        int high = index.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (index.get(middle).revision() < revision) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? Optional.empty() : Optional.of(index.get(low - 1));
    }

    private static void addSparsely(List<LogPosition> index, LogPosition end) {
        long last = index.isEmpty()
                ? SegmentFormat.SEGMENT_HEADER
                : index.get(index.size() - 1).offset();
        if (end.offset() - last >= INDEX_EVERY) {
            index.add(end);
        }
    }
}
