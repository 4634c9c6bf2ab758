package dev.mooring.api.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files that only their owner may read, from the first byte on. A file is replaced whole or not at all: written beside,
 * synced, renamed, directory synced.
 */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> PUBLIC_FILE = PosixFilePermissions.fromString("rw-r--r--");

    private PrivateFiles() {}

    /** Makes the directory and its missing parents, readable for their owner only; tightens it if it was there already. */
    public static void makeDirectory(Path directory) throws IOException {
        boolean isNew = !Files.exists(directory);
        Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_DIRECTORY));
        tighten(directory, OWNER_DIRECTORY);
        if (isNew) {
            // What is written into it durably is of no use if its own name is lost.
            syncDirectory(directory.toAbsolutePath().getParent());
        }
    }

    /** Writes a secret. */
    static void write(Path file, String content) throws IOException {
        replace(file, content, OWNER_FILE);
    }

    /** Writes something that anyone may read, with the same care for wholeness. */
    static void writePublic(Path file, String content) throws IOException {
        replace(file, content, PUBLIC_FILE);
    }

    /** Reads a secret, and takes away access that others should never have had. */
    static String read(Path file) throws IOException {
        tighten(file, OWNER_FILE);
        return Files.readString(file);
    }

    private static void replace(Path file, String content, Set<PosixFilePermission> permissions) throws IOException {
        Path target = file.toAbsolutePath();
        Path beside = target.resolveSibling(target.getFileName() + ".new");
        Files.deleteIfExists(beside); // left by a crash; a fixed name leaves at most one
        try (FileChannel channel = FileChannel.open(
                beside,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(OWNER_FILE))) {
            ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            Files.setPosixFilePermissions(beside, permissions); // the umask may have taken from what was asked for
            channel.force(true);
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            // The system says what went wrong, but not with which file.
            IOException named = new FileSystemException(beside.toString(), null, e.getMessage());
            named.initCause(e);
            throw named;
        }
        Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(target.getParent());
    }

    private static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static void tighten(Path path, Set<PosixFilePermission> permissions) throws IOException {
        if (!permissions.containsAll(Files.getPosixFilePermissions(path))) {
            Files.setPosixFilePermissions(path, permissions);
        }
    }
}
