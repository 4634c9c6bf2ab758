package dev.mooring.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A note beside the log that a sync has failed, for the process that opens it next.
 *
 * <p>After a failed sync the kernel may keep the pages in memory, call them clean and never write them again: the log would read
 * back well, and yet not be on the disk. The next process therefore writes the last segment anew. The danger lives only as
 * long as the page cache does, so the note need not be synced: both are lost together. Both texts are equally long and the file is
 * made while all is well, so that a full disk cannot hinder the note.
 */
final class SyncFailureNote {
    private static final byte[] WELL = "open       \n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FAILED = "sync failed\n".getBytes(StandardCharsets.US_ASCII);

    private final Disk disk;
    private final Path file;

    SyncFailureNote(Disk disk, Path directory) {
        this.disk = disk;
        this.file = directory.resolve(LogFiles.STATE);
    }

    boolean saysFailed() throws IOException {
        if (!disk.exists(file)) {
            return false;
        }
        ByteBuffer content = ByteBuffer.allocate(FAILED.length);
        try (Disk.DiskFile open = disk.openForReading(file)) {
            open.read(0, content);
        }
        return content.flip().equals(ByteBuffer.wrap(FAILED));
    }

    void writeWell() throws IOException {
        write(WELL);
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
