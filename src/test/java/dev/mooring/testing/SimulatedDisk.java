package dev.mooring.testing;

import dev.mooring.log.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A disk in memory that simulates crashes. {@link #powerFailure} keeps synced data and, of the rest, a random subset of
 * sectors and a prefix of the directory's changes; {@link #killedProcess} keeps everything written. Syncs can fail and
 * space can run out. Thread-safe.
 */
public final class SimulatedDisk implements Disk {
    private static final int SECTOR = 512;

    /** A fault in the middle of a write or a sync. */
    @FunctionalInterface
    public interface Fault {
        void strike(String file) throws IOException;
    }

    private final Map<Path, Inode> names = new TreeMap<>();
    private final List<Runnable> unsyncedNames = new ArrayList<>();
    private Map<Path, Inode> durableNames = new TreeMap<>();
    private final Set<Path> locks = new HashSet<>();
    private long room = Long.MAX_VALUE;
    private Fault onSync = file -> {};
    private Fault onWrite = file -> {};
    private int syncs;
    private int reads;

    private static final class Inode {
        byte[] content = new byte[0];
        byte[] durable = new byte[0];
    }

    /** Returns how many times a file was synced. */
    public synchronized int syncs() {
        return syncs;
    }

    /** Returns how many times a file was opened for reading. */
    public synchronized int reads() {
        return reads;
    }

    /** Sets the fault that runs before each sync of a file; the sync throws its exception. */
    public synchronized void onSync(Fault fault) {
        onSync = fault;
    }

    /** Sets the fault that runs after half of each write. */
    public synchronized void onWrite(Fault fault) {
        onWrite = fault;
    }

    /** Limits the total growth of files from now on. */
    public synchronized void leaveRoomFor(long bytes) {
        room = bytes;
    }

    public synchronized byte[] content(Path file) throws IOException {
        return inode(file).content.clone();
    }

    /** Replaces a file's content, durably. */
    public synchronized void overwrite(Path file, byte[] content) throws IOException {
        Inode inode = inode(file);
        inode.content = content.clone();
        inode.durable = content.clone();
    }

    /** Returns a copy of the disk. */
    public synchronized SimulatedDisk copy() {
        SimulatedDisk copy = new SimulatedDisk();
        names.forEach((path, inode) -> {
            Inode other = new Inode();
            other.content = inode.content.clone();
            other.durable = inode.durable.clone();
            copy.names.put(path, other);
        });
        copy.durableNames = new TreeMap<>(copy.names);
        return copy;
    }

    /** Returns the disk as the next process finds it after a kill: without locks, with everything written. */
    public synchronized SimulatedDisk killedProcess() {
        return copy();
    }

    /** Returns the disk after a power failure. */
    public synchronized SimulatedDisk powerFailure(Random random) {
        int kept = random.nextInt(unsyncedNames.size() + 1);
        names.clear();
        names.putAll(durableNames);
        unsyncedNames.subList(0, kept).forEach(Runnable::run);
        SimulatedDisk after = copy();
        after.names.values().forEach(inode -> {
            inode.content = survivors(inode, random);
            inode.durable = inode.content.clone();
        });
        return after;
    }

    private static byte[] survivors(Inode inode, Random random) {
        int size = random.nextBoolean() ? inode.content.length : inode.durable.length;
        byte[] result = Arrays.copyOf(inode.durable, size);
        for (int at = 0; at < size; at += SECTOR) {
            int end = Math.min(Math.min(at + SECTOR, size), inode.content.length);
            if (end > at && random.nextBoolean()) {
                System.arraycopy(inode.content, at, result, at, end - at);
            }
        }
        return result;
    }

    private Inode inode(Path file) throws NoSuchFileException {
        Inode inode = names.get(file);
        if (inode == null) {
            throw new NoSuchFileException(file.toString());
        }
        return inode;
    }

    private void change(Runnable change) {
        change.run();
        unsyncedNames.add(change);
    }

    @Override
    public void createDirectories(Path directory) {
        // Directories are implied by the names of files.
    }

    @Override
    public synchronized List<String> list(Path directory) {
        return names.keySet().stream()
                .filter(path -> path.getParent().equals(directory))
                .map(path -> path.getFileName().toString())
                .sorted()
                .toList();
    }

    @Override
    public synchronized boolean exists(Path file) {
        return names.containsKey(file);
    }

    @Override
    public synchronized long size(Path file) throws IOException {
        return inode(file).content.length;
    }

    @Override
    public synchronized DiskFile openForReading(Path file) throws IOException {
        reads++;
        return new OpenFile(file, inode(file));
    }

    @Override
    public synchronized DiskFile openForWriting(Path file) {
        if (!names.containsKey(file)) {
            Inode created = new Inode();
            change(() -> names.put(file, created));
        }
        return new OpenFile(file, names.get(file));
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        Inode moved = inode(from);
        change(() -> {
            names.remove(from);
            names.put(to, moved);
        });
    }

    @Override
    public synchronized void delete(Path file) {
        if (names.containsKey(file)) {
            change(() -> names.remove(file));
        }
    }

    @Override
    public synchronized void syncDirectory(Path directory) {
        durableNames = new TreeMap<>(names);
        unsyncedNames.clear();
    }

    @Override
    public synchronized long usableSpace(Path directory) {
        return room;
    }

    @Override
    public synchronized Closeable lock(Path file) throws IOException {
        if (!locks.add(file)) {
            throw new IOException(file + " is locked by another process");
        }
        return () -> {
            synchronized (SimulatedDisk.this) {
                locks.remove(file);
            }
        };
    }

    private final class OpenFile implements DiskFile {
        private final Path path;
        private final Inode inode;
        private boolean closed;

        OpenFile(Path path, Inode inode) {
            this.path = path;
            this.inode = inode;
        }

        @Override
        public int read(long position, ByteBuffer into) throws IOException {
            synchronized (SimulatedDisk.this) {
                requireOpen();
                int count = (int) Math.max(0, Math.min(into.remaining(), inode.content.length - position));
                into.put(inode.content, (int) Math.min(position, inode.content.length), count);
                return count;
            }
        }

        @Override
        public void write(long position, ByteBuffer from) throws IOException {
            byte[] bytes = new byte[from.remaining()];
            from.get(bytes);
            int half = bytes.length / 2;
            put((int) position, bytes, 0, half);
            fault(onWrite);
            put((int) position + half, bytes, half, bytes.length);
        }

        private void put(int position, byte[] bytes, int from, int to) throws IOException {
            synchronized (SimulatedDisk.this) {
                requireOpen();
                int count = to - from;
                int growth = Math.max(0, position + count - inode.content.length);
                if (growth > room) {
                    throw new IOException("No space left on device");
                }
                room -= room == Long.MAX_VALUE ? 0 : growth;
                if (growth > 0) {
                    inode.content = Arrays.copyOf(inode.content, position + count);
                }
                System.arraycopy(bytes, from, inode.content, position, count);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (SimulatedDisk.this) {
                requireOpen();
                if (size < inode.content.length) {
                    room += room == Long.MAX_VALUE ? 0 : inode.content.length - size;
                    inode.content = Arrays.copyOf(inode.content, (int) size);
                }
            }
        }

        @Override
        public long size() {
            synchronized (SimulatedDisk.this) {
                return inode.content.length;
            }
        }

        @Override
        public void sync() throws IOException {
            fault(onSync);
            synchronized (SimulatedDisk.this) {
                requireOpen();
                syncs++;
                inode.durable = inode.content.clone();
            }
        }

        private void fault(Fault fault) throws IOException {
            try {
                fault.strike(path.getFileName().toString());
            } finally {
                if (Thread.currentThread().isInterrupted()) {
                    // An interrupt closes a FileChannel, too.
                    closed = true;
                }
            }
        }

        private void requireOpen() throws ClosedChannelException {
            if (closed) {
                throw new ClosedChannelException();
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
