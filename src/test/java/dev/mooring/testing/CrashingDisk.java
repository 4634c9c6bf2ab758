package dev.mooring.testing;

import dev.mooring.log.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A disk whose process crashes before its Nth modifying operation: that operation and all later ones have no effect.
 */
public final class CrashingDisk implements Disk {
    /** Crash of the process; an Error, because code must not react to it. */
    public static final class ProcessCrash extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final Disk disk;
    private final int operations;
    private int done;

    public CrashingDisk(Disk disk, int operations) {
        this.disk = disk;
        this.operations = operations;
    }

    /** Returns the number of completed operations. */
    public int done() {
        return done;
    }

    private void next() {
        if (done >= operations) {
            throw new ProcessCrash();
        }
        done++;
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        next();
        disk.createDirectories(directory);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public boolean exists(Path file) throws IOException {
        return disk.exists(file);
    }

    @Override
    public long size(Path file) throws IOException {
        return disk.size(file);
    }

    @Override
    public DiskFile openForReading(Path file) throws IOException {
        return disk.openForReading(file);
    }

    @Override
    public DiskFile openForWriting(Path file) throws IOException {
        next();
        return new CrashingFile(disk.openForWriting(file));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        next();
        disk.rename(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        next();
        disk.delete(file);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        next();
        disk.syncDirectory(directory);
    }

    @Override
    public long usableSpace(Path directory) throws IOException {
        return disk.usableSpace(directory);
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        return disk.lock(file);
    }

    private final class CrashingFile implements DiskFile {
        private final DiskFile file;

        CrashingFile(DiskFile file) {
            this.file = file;
        }

        @Override
        public int read(long position, ByteBuffer into) throws IOException {
            return file.read(position, into);
        }

        @Override
        public void write(long position, ByteBuffer from) throws IOException {
            next();
            file.write(position, from);
        }

        @Override
        public void truncate(long size) throws IOException {
            next();
            file.truncate(size);
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void sync() throws IOException {
            next();
            file.sync();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
