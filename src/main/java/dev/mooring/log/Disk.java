package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The few things the log wants of a file system. A port, so that tests can tear writes, fail syncs and fill disks, and the
 * simulation can do so under a seed.
 */
public interface Disk {
    /** Makes a directory with its parents, durably. */
    void createDirectories(Path directory) throws IOException;

    /** The plain file names in a directory, sorted. */
    List<String> list(Path directory) throws IOException;

    boolean exists(Path file) throws IOException;

    long size(Path file) throws IOException;

    DiskFile openForReading(Path file) throws IOException;

    /** Opens for reading and writing, making an empty file if there is none. */
    DiskFile openForWriting(Path file) throws IOException;

    /** Takes the name atomically, replacing what had it. Durable after {@link #syncDirectory}. */
    void rename(Path from, Path to) throws IOException;

    void delete(Path file) throws IOException;

    /** Makes creations, renames and deletions in a directory durable. */
    void syncDirectory(Path directory) throws IOException;

    /** Takes the lock that keeps a second process out, or says who may hold it. Closing it lets it go. */
    Closeable lock(Path file) throws IOException;

    /** An open file. Positions are explicit: nothing moves a cursor. */
    interface DiskFile extends Closeable {
        /** Fills the buffer as far as the file goes; the number of bytes read, 0 at the end. */
        int read(long position, ByteBuffer into) throws IOException;

        /** Writes all that remains in the buffer. */
        void write(long position, ByteBuffer from) throws IOException;

        void truncate(long size) throws IOException;

        long size() throws IOException;

        /** Makes the content durable, and the metadata that is needed to read it back. */
        void sync() throws IOException;
    }
}
