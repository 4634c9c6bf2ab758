package dev.mooring.log;

import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The snapshots of a log. Written under another name, synced and renamed, so that a snapshot is either complete or
 * absent; verified in full when read. Safe for one writer and concurrent readers.
 */
public final class Snapshots {
    private final Disk disk;
    private final Path directory;
    private final Encryption encryption;
    private final BiConsumer<String, LogDamagedException> onDamage;

    /** @param onDamage receives each damaged snapshot that was skipped */
    Snapshots(Disk disk, Path directory, Encryption encryption, BiConsumer<String, LogDamagedException> onDamage) {
        this.disk = disk;
        this.directory = directory;
        this.encryption = encryption;
        this.onDamage = onDamage;
    }

    /** Returns the revisions of the snapshots, ascending. */
    public List<Long> revisions() throws IOException {
        return LogFiles.snapshots(disk, directory);
    }

    /** Returns the newest readable snapshot at or before {@code revision}; skips damaged ones. */
    public Optional<Snapshot> newestUpTo(long revision) throws IOException {
        return newestUpTo(revision, UnaryOperator::identity);
    }

    /**
     * Returns the newest readable snapshot at or before {@code revision}, with objects substituted.
     *
     * @param substitutes creates the function that receives every object, in key order, and returns the one to keep
     */
    public Optional<Snapshot> newestUpTo(long revision, Supplier<UnaryOperator<StoredObject>> substitutes)
            throws IOException {
        List<Long> revisions = revisions();
        for (int i = revisions.size() - 1; i >= 0; i--) {
            long candidate = revisions.get(i);
            if (candidate <= revision) {
                try {
                    return Optional.of(load(candidate, substitutes.get()));
                } catch (LogDamagedException e) {
                    onDamage.accept(LogFiles.snapshot(candidate), e);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Reads one snapshot.
     *
     * @throws LogDamagedException if it is damaged
     */
    public Snapshot load(long revision) throws IOException {
        return load(revision, UnaryOperator.identity());
    }

    private Snapshot load(long revision, UnaryOperator<StoredObject> substitute) throws IOException {
        String name = LogFiles.snapshot(revision);
        try (Disk.DiskFile file = disk.openForReading(directory.resolve(name))) {
            return SnapshotFile.read(file, name, revision, encryption, substitute);
        }
    }

    /** Returns the log position of a snapshot; reads only its header. */
    public LogPosition position(long revision) throws IOException {
        String name = LogFiles.snapshot(revision);
        try (Disk.DiskFile file = disk.openForReading(directory.resolve(name))) {
            return SnapshotFile.readPosition(file, name, revision, encryption);
        }
    }

    public long size(long revision) throws IOException {
        return disk.size(directory.resolve(LogFiles.snapshot(revision)));
    }

    /** Writes a snapshot; durable when this returns. */
    public void write(LogPosition position, int count, Iterable<StoredObject> objects) throws IOException {
        write(directory.resolve(LogFiles.snapshot(position.revision())), position, count, objects);
    }

    /** Writes a snapshot into a file of any name in the directory. */
    void write(Path target, LogPosition position, int count, Iterable<StoredObject> objects) throws IOException {
        Path unfinished = directory.resolve(target.getFileName() + LogFiles.UNFINISHED);
        try {
            try (Disk.DiskFile file = disk.openForWriting(unfinished)) {
                file.truncate(0);
                SnapshotFile.write(file, position, count, objects, encryption);
                file.sync();
            }
            disk.rename(unfinished, target);
            disk.syncDirectory(directory);
        } catch (IOException | RuntimeException e) {
            disk.delete(unfinished);
            throw e;
        }
    }

    void delete(long revision) throws IOException {
        disk.delete(directory.resolve(LogFiles.snapshot(revision)));
    }
}
