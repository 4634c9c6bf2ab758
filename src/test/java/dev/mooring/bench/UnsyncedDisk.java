package dev.mooring.bench;

import dev.mooring.log.Disk;
import dev.mooring.log.RealDisk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The real disk without syncs, for writing a large log of small batches in seconds, in the same format. */
final class UnsyncedDisk implements Disk {
    private final Disk disk = new RealDisk();

    @Override
    public void createDirectories(Path directory) throws IOException {
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
        return new UnsyncedFile(disk.openForWriting(file));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
        disk.delete(file);
    }

    @Override
    public void syncDirectory(Path directory) {}

    @Override
    public long usableSpace(Path directory) throws IOException {
        return disk.usableSpace(directory);
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        return disk.lock(file);
    }

    private record UnsyncedFile(DiskFile file) implements DiskFile {
        @Override
        public int read(long position, ByteBuffer into) throws IOException {
            return file.read(position, into);
        }

        @Override
        public void write(long position, ByteBuffer from) throws IOException {
            file.write(position, from);
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void sync() {}

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
