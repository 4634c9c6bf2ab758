package dev.mooring.api.auth;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/**
 * A file of lines that only its owner can read. A full file is renamed to {@code FILE.1}, after {@code FILE.1} was
 * renamed to {@code FILE.2} and so on; the oldest is deleted. If another process moves the file, a new one is created.
 *
 * <p>Logback's rolling appender is not used because it silently drops lines after a failed write, and leaves a partial
 * line in the file.
 *
 * <p>Not thread-safe.
 */
final class RotatingFile implements AutoCloseable {
    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_DIRECTORY = PosixFilePermissions.fromString("rwx------");

    private final Path path;
    private final long maxBytes;
    private final int files;
    private FileChannel channel;
    private Object identity;

    /**
     * Opens the file for appending.
     *
     * @param maxBytes size at which the file is rotated
     * @param files maximum number of files, including the current one
     */
    RotatingFile(Path path, long maxBytes, int files) throws IOException {
        this.path = path.toAbsolutePath();
        this.maxBytes = maxBytes;
        this.files = files;
        open();
    }

    Path path() {
        return path;
    }

    /** Writes either all lines or none. */
    void write(byte[] lines) throws IOException {
        if (channel == null || isMoved()) {
            close();
            open();
        }
        if (channel.size() > 0 && channel.size() + lines.length > maxBytes) {
            rotate();
        }
        long before = channel.size();
        try {
            ByteBuffer rest = ByteBuffer.wrap(lines);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        } catch (IOException e) {
            rollBack(before, e);
            throw e;
        }
    }

    /** Truncates a partial write, so that the next line does not continue it. */
    private void rollBack(long size, IOException failure) {
        try {
            channel.truncate(size);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private void open() throws IOException {
        Files.createDirectories(path.getParent(), PosixFilePermissions.asFileAttribute(OWNER_DIRECTORY));
        channel = FileChannel.open(
                path,
                Set.of(
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.READ,
                        LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(OWNER_FILE));
        if (!OWNER_FILE.containsAll(Files.getPosixFilePermissions(path))) {
            Files.setPosixFilePermissions(path, OWNER_FILE);
        }
        identity = identity();
        long size = channel.size();
        channel.position(size);
        if (size > 0 && byteAt(size - 1) != '\n') {
            // A previous process died in the middle of a line.
            channel.write(ByteBuffer.wrap(new byte[] {'\n'}));
        }
    }

    private int byteAt(long position) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        channel.read(one, position);
        return one.get(0);
    }

    private boolean isMoved() throws IOException {
        return !Objects.equals(identity, identity());
    }

    private Object identity() throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private void rotate() throws IOException {
        close();
        for (int old = files; Files.deleteIfExists(numbered(old)); old++) {
            // Extra files exist after the setting was lowered.
        }
        for (int number = files - 1; number > 0; number--) {
            Path from = number == 1 ? path : numbered(number - 1);
            if (Files.exists(from, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(from, numbered(number), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.deleteIfExists(path);
        open();
    }

    private Path numbered(int number) {
        return path.resolveSibling(path.getFileName() + "." + number);
    }

    /** Flushes the file to disk and closes it. */
    @Override
    public void close() throws IOException {
        if (channel != null) {
            FileChannel closing = channel;
            channel = null;
            try (closing) {
                closing.force(true);
            }
        }
    }
}
