package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The file system operations that the log needs. An interface, so that tests and the simulation can tear writes, fail
 * syncs and fill disks.
 */
public interface Disk {
    /** Creates a directory with its parents, durably. */
    void createDirectories(Path directory) throws IOException;

    /** Returns the names of the regular files in a directory, sorted. */
    List<String> list(Path directory) throws IOException;

    boolean exists(Path file) throws IOException;

    long size(Path file) throws IOException;

    DiskFile openForReading(Path file) throws IOException;

    /** Opens a file for reading and writing; creates an empty one if it does not exist. */
    DiskFile openForWriting(Path file) throws IOException;

    /** Renames a file atomically, replacing the target. Durable after {@link #syncDirectory}. */
    void rename(Path from, Path to) throws IOException;

    void delete(Path file) throws IOException;

    /** Makes creations, renames and deletions in a directory durable. */
    void syncDirectory(Path directory) throws IOException;

    /** Returns the usable space of a directory's file system, in bytes. */
    long usableSpace(Path directory) throws IOException;

    /**
     * Acquires the lock that excludes other processes. Closing it releases the lock.
     *
     * @throws LogInUseException if another process holds it
     */
    Closeable lock(Path file) throws IOException;

    /** An open file. Positions are explicit; there is no cursor. */
    interface DiskFile extends Closeable {
        /** Fills the buffer up to the end of the file. Returns the number of bytes read, 0 at the end. */
        int read(long position, ByteBuffer into) throws IOException;

        /** Writes all remaining bytes of the buffer. */
        void write(long position, ByteBuffer from) throws IOException;

        void truncate(long size) throws IOException;

        long size() throws IOException;

        /** Makes the content durable, with the metadata needed to read it back. */
        void sync() throws IOException;
    }
}
