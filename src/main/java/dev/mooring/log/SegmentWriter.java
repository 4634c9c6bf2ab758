package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The segment that is being written. Space is filled with zeros, an extent at a time, before batches go into it: a sync then has
 * only data to write, and a full disk shows before anything of a batch is written. For the appending thread only.
 */
final class SegmentWriter implements Closeable {
    /** Large enough that it is rarely done, small enough that doing it goes unnoticed between two syncs. */
    private static final int LARGEST_EXTENT = 1 << 20;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 << 10);

    private final Disk.DiskFile file;
    private final Segment segment;
    private final long extent;
    private long allocated;

    private SegmentWriter(Disk.DiskFile file, Segment segment, long segmentBytes, long allocated) {
        this.file = file;
        this.segment = segment;
        this.extent = Math.min(segmentBytes, LARGEST_EXTENT);
        this.allocated = allocated;
    }

    /** Makes the segment that follows {@code end}: complete under a temporary name first, so that a segment always has a header. */
    static SegmentWriter create(Disk disk, Path directory, long segmentBytes, LogPosition end, long nowMillis)
            throws IOException {
        Segment segment = Segment.created(disk, directory, end.revision() + 1);
        Path unfinished = directory.resolve(segment.name() + LogFiles.UNFINISHED);
        Disk.DiskFile file = disk.openForWriting(unfinished);
        try {
            file.truncate(0);
            SegmentWriter writer = new SegmentWriter(file, segment, segmentBytes, 0);
            writer.allocate(Frames.SEGMENT_HEADER);
            file.write(0, Frames.segmentHeader(end, nowMillis));
            file.sync();
            disk.rename(unfinished, segment.path());
            disk.syncDirectory(directory);
            return writer;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Goes on with a segment that is there; what lies behind {@code end} in it is wiped. */
    static SegmentWriter resume(Disk disk, Segment segment, long segmentBytes, LogPosition end) throws IOException {
        Disk.DiskFile file = disk.openForWriting(segment.path());
        try {
            file.truncate(end.offset());
            SegmentWriter writer = new SegmentWriter(file, segment, segmentBytes, end.offset());
            writer.allocate(end.offset());
            // What a killed process wrote may be in the page cache only. It is shown from now on, so it must be on the
            // disk.
            file.sync();
            // It may have been killed before it had made the segment's name durable, too.
            disk.syncDirectory(segment.path().getParent());
            return writer;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    Segment segment() {
        return segment;
    }

    /** Writes and syncs. */
    void append(long offset, ByteBuffer bytes) throws IOException {
        long end = offset + bytes.remaining();
        if (end > allocated) {
            allocate(end);
        }
        file.write(offset, bytes);
        file.sync();
    }

    /** Gives the unused space back: nothing more will be written here. */
    void seal(long end) throws IOException {
        file.truncate(end);
        file.sync();
        close();
    }

    private void allocate(long upTo) throws IOException {
        long target = (upTo / extent + 1) * extent;
        long at = allocated;
        while (at < target) {
            ByteBuffer zeros = ZEROS.duplicate();
            zeros.limit((int) Math.min(zeros.capacity(), target - at));
            int count = zeros.remaining();
            file.write(at, zeros);
            at += count;
        }
        allocated = target;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
