package dev.mooring.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One segment file as readers see it: where it is, and a sparse index of the batches in it. The index of the segment that is being written
 * grows with each append; that of an older one is made when somebody first reads in its middle. Thread-safe.
 */
final class Segment {
    /** A reader that wants a certain revision reads at most about this much too much. */
    private static final long INDEX_EVERY = 32 << 10;

    private final Disk disk;
    private final Path path;
    private final long firstRevision;
    private final List<LogPosition> index = new ArrayList<>();
    private final Object indexing = new Object();
    private boolean indexed;

    private Segment(Disk disk, Path path, long firstRevision, boolean indexed) {
        this.disk = disk;
        this.path = path;
        this.firstRevision = firstRevision;
        this.indexed = indexed;
    }

    /** A segment that is there already. */
    static Segment existing(Disk disk, Path directory, long firstRevision) {
        return new Segment(disk, directory.resolve(LogFiles.segment(firstRevision)), firstRevision, false);
    }

    /** A segment that has just been made and whose every batch will be {@linkplain #noteBatch noted}. */
    static Segment created(Disk disk, Path directory, long firstRevision) {
        return new Segment(disk, directory.resolve(LogFiles.segment(firstRevision)), firstRevision, true);
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

    /** Where the first batch starts. */
    LogPosition start(Disk.DiskFile file) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(Frames.SEGMENT_HEADER);
        file.read(0, header);
        return Frames.readSegmentHeader(header.flip(), name(), firstRevision);
    }

    /** Remembers the end of a batch that is now durable. */
    synchronized void noteBatch(LogPosition end) {
        if (indexed) {
            addSparsely(index, end);
        }
    }

    /** The indexed place closest before a revision, at which a scan for it can start. */
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

    /** Only the last step holds the monitor that the appending thread needs. Batches appended meanwhile are missing in the index: it is sparse. */
    private void makeIndex(Disk.DiskFile file, LogPosition start, long limit) throws IOException {
        List<LogPosition> found = new ArrayList<>();
        SegmentScanner scanner = new SegmentScanner(file, start);
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
                ? Frames.SEGMENT_HEADER
                : index.get(index.size() - 1).offset();
        if (end.offset() - last >= INDEX_EVERY) {
            index.add(end);
        }
    }
}
