package dev.mooring.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A file beside the log that records a failed sync for the next process.
 *
 * <p>After a failed sync the kernel may keep the pages in memory, mark them clean and never write them: the log would
 * read back correctly, and yet not be on disk. The next process therefore rewrites the last segment. The problem exists
 * only as long as the page cache does, so the marker need not be synced: both are lost together. Both states have the
 * same length and the file is created in advance, so that a full disk cannot prevent the marker.
 */
final class SyncFailureMarker {
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
