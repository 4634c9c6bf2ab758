package dev.mooring.log;

import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The snapshots beside a log. Written under another name, synced and renamed, so that one is either whole or not there; verified in
 * full when read. Safe for a writer and readers at once.
 */
public final class Snapshots {
    private final Disk disk;
    private final Path directory;
    private final BiConsumer<String, LogDamagedException> onDamage;

    /** @param onDamage told of each snapshot that had to be passed over */
    Snapshots(Disk disk, Path directory, BiConsumer<String, LogDamagedException> onDamage) {
        this.disk = disk;
        this.directory = directory;
        this.onDamage = onDamage;
    }

    /** The revisions of which there is a snapshot, ascending. */
    public List<Long> revisions() throws IOException {
        return LogFiles.snapshots(disk, directory);
    }

    /** The newest snapshot of {@code revision} or before that can be read; damaged ones are passed over. */
    public Optional<Snapshot> newestUpTo(long revision) throws IOException {
        List<Long> revisions = revisions();
        for (int i = revisions.size() - 1; i >= 0; i--) {
            long candidate = revisions.get(i);
            if (candidate <= revision) {
                try {
                    return Optional.of(load(candidate));
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
     * @throws LogDamagedException if it is not as it was written
     */
    public Snapshot load(long revision) throws IOException {
        String name = LogFiles.snapshot(revision);
        try (Disk.DiskFile file = disk.openForReading(directory.resolve(name))) {
            return SnapshotFile.read(file, name, revision);
        }
    }

    /** The place in the log where a snapshot was taken; reads only its header. */
    public LogPosition position(long revision) throws IOException {
        String name = LogFiles.snapshot(revision);
        try (Disk.DiskFile file = disk.openForReading(directory.resolve(name))) {
            return SnapshotFile.readPosition(file, name, revision);
        }
    }

    public long size(long revision) throws IOException {
        return disk.size(directory.resolve(LogFiles.snapshot(revision)));
    }

    /** Writes a snapshot; when this returns it is durable. */
    public void write(LogPosition position, int count, Iterable<StoredObject> objects) throws IOException {
        Path target = directory.resolve(LogFiles.snapshot(position.revision()));
        Path unfinished = directory.resolve(target.getFileName() + LogFiles.UNFINISHED);
        try {
            try (Disk.DiskFile file = disk.openForWriting(unfinished)) {
                file.truncate(0);
                SnapshotFile.write(file, position, count, objects);
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
