package dev.mooring.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A read-only view of the log's directory as a rewrite leaves it: with the new files in place of those they replace,
 * and without deleted ones. So a rewrite can be verified before it is committed, and a committed but interrupted one is
 * read correctly.
 */
final class RewrittenDisk implements Disk {
    private final Disk disk;
    private final Optional<Set<String>> planned;

    /** Creates a view of the directory as it is, or as the marker of an interrupted rewrite says. */
    RewrittenDisk(Disk disk) {
        this(disk, Optional.empty());
    }

    /** @param planned the files that the rewrite will delete, if it is not committed yet */
    RewrittenDisk(Disk disk, Optional<Set<String>> planned) {
        this.disk = disk;
        this.planned = planned;
    }

    /** Returns the names of the files that a rewrite deletes. */
    static Set<String> deleted(Disk disk, Path directory) throws IOException {
        Path marker = directory.resolve(LogFiles.REWRITE);
        ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(disk.size(marker)));
        try (DiskFile file = disk.openForReading(marker)) {
            file.read(0, content);
        }
        String text = new String(content.array(), 0, content.position(), StandardCharsets.UTF_8);
        return Set.copyOf(text.lines().toList());
    }

    private boolean counts(Path directory) throws IOException {
        return planned.isPresent() || disk.exists(directory.resolve(LogFiles.REWRITE));
    }

    private Path actual(Path file) throws IOException {
        Path rewritten = file.resolveSibling(file.getFileName() + LogFiles.REWRITTEN);
        return counts(file.getParent()) && disk.exists(rewritten) ? rewritten : file;
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        List<String> names = disk.list(directory);
        if (!counts(directory)) {
            return names;
        }
        Set<String> deleted = planned.isPresent() ? planned.get() : deleted(disk, directory);
        return names.stream()
                .filter(name -> !name.endsWith(LogFiles.REWRITTEN) && !deleted.contains(name))
                .toList();
    }

    @Override
    public boolean exists(Path file) throws IOException {
        return disk.exists(file);
    }

    @Override
    public long size(Path file) throws IOException {
        return disk.size(actual(file));
    }

    @Override
    public DiskFile openForReading(Path file) throws IOException {
        return disk.openForReading(actual(file));
    }

    @Override
    public long usableSpace(Path directory) throws IOException {
        return disk.usableSpace(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        throw new UnsupportedOperationException();
    }

    @Override
    public DiskFile openForWriting(Path file) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void rename(Path from, Path to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void delete(Path file) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void syncDirectory(Path directory) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Closeable lock(Path file) {
        throw new UnsupportedOperationException();
    }
}
