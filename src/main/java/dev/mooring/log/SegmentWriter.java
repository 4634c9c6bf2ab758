package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Writes the active segment. Space is filled with zeros, one extent at a time, before batches are written into it: a
 * sync then writes data only, and a full disk is detected before any part of a batch is written. For the appending
 * thread only.
 */
final class SegmentWriter implements Closeable {
    /** Maximum extent: large enough to be rare, small enough to cause no noticeable delay between two syncs. */
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

    /**
     * Creates the segment that follows {@code end}, under a temporary name first, so that a segment always has a
     * complete header.
     */
    static SegmentWriter create(
            Disk disk, Path directory, long segmentBytes, LogPosition end, long nowMillis, Encryption encryption)
            throws IOException {
        Segment segment = Segment.created(disk, directory, end.revision() + 1, encryption);
        Path unfinished = directory.resolve(segment.name() + LogFiles.UNFINISHED);
        Disk.DiskFile file = disk.openForWriting(unfinished);
        try {
            file.truncate(0);
            SegmentWriter writer = new SegmentWriter(file, segment, segmentBytes, 0);
            writer.allocate(SegmentFormat.SEGMENT_HEADER);
            file.write(0, SegmentFormat.segmentHeader(end, nowMillis, encryption));
            file.sync();
            disk.rename(unfinished, segment.path());
            disk.syncDirectory(directory);
            return writer;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Continues an existing segment and wipes everything after {@code end}. */
    static SegmentWriter resume(Disk disk, Segment segment, long segmentBytes, LogPosition end) throws IOException {
        Disk.DiskFile file = disk.openForWriting(segment.path());
        try {
            file.truncate(end.offset());
            SegmentWriter writer = new SegmentWriter(file, segment, segmentBytes, end.offset());
            writer.allocate(end.offset());
            // The writes of a killed process may be in the page cache only. They become visible now, so they must be on
            // disk.
            file.sync();
            // The process may have been killed before it made the segment's name durable.
            disk.syncDirectory(segment.path().getParent());
            segment.activate(end.offset());
            return writer;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    Segment segment() {
        return segment;
    }

    /** Writes and syncs a batch. */
    void append(long offset, ByteBuffer bytes) throws IOException {
        long end = offset + bytes.remaining();
        if (end > allocated) {
            allocate(end);
        }
        file.write(offset, bytes);
        file.sync();
    }

    /** Truncates the unused space after the last write. */
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
