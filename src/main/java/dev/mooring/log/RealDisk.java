package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The machine's file system. New files are readable by their owner only, because the log contains Secrets. */
public final class RealDisk implements Disk {
    private static final FileAttribute<?> OWNER_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<?> OWNER_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    @Override
    public void createDirectories(Path directory) throws IOException {
        List<Path> parents = new ArrayList<>();
        for (Path path = directory.toAbsolutePath(); !Files.exists(path); path = path.getParent()) {
            parents.add(path.getParent());
        }
        Files.createDirectories(directory, OWNER_DIRECTORY);
        for (Path parent : parents) {
            syncDirectory(parent);
        }
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Override
    public boolean exists(Path file) {
        return Files.exists(file);
    }

    @Override
    public long size(Path file) throws IOException {
        return Files.size(file);
    }

    @Override
    public DiskFile openForReading(Path file) throws IOException {
        return new ChannelFile(file, FileChannel.open(file, StandardOpenOption.READ));
    }

    @Override
    public DiskFile openForWriting(Path file) throws IOException {
        return new ChannelFile(
                file,
                FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                        OWNER_FILE));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("Cannot rename " + from + " atomically: the file system does not support it", e);
        }
    }

    @Override
    public void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public long usableSpace(Path directory) throws IOException {
        return Files.getFileStore(directory).getUsableSpace();
    }

    @Override
    public Closeable lock(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OWNER_FILE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        if (lock == null) {
            channel.close();
            throw new LogInUseException(file.getParent());
        }
        return channel;
    }

    private record ChannelFile(Path path, FileChannel channel) implements DiskFile {
        @Override
        public int read(long position, ByteBuffer into) throws IOException {
            int total = 0;
            while (into.hasRemaining()) {
                int read = channel.read(into, position + total);
                if (read < 0) {
                    break;
                }
                total += read;
            }
            return total;
        }

        @Override
        public void write(long position, ByteBuffer from) throws IOException {
            long at = position;
            try {
                while (from.hasRemaining()) {
                    at += channel.write(from, at);
                }
            } catch (IOException e) {
                throw named(e);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            try {
                channel.truncate(size);
            } catch (IOException e) {
                throw named(e);
            }
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void sync() throws IOException {
            try {
                channel.force(false);
            } catch (IOException e) {
                throw named(e);
            }
        }

        /** Adds the file's name to an exception of the system; an interruption is passed on unchanged. */
        private IOException named(IOException e) {
            if (e instanceof ClosedChannelException || e instanceof FileSystemException) {
                return e;
            }
            IOException named = new FileSystemException(path.toString(), null, e.getMessage());
            named.initCause(e);
            return named;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
