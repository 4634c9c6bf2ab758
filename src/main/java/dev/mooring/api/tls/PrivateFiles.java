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
 * Reads and writes files that only their owner can read at any time. A file is replaced atomically: written to a
 * temporary file, synced, renamed, directory synced.
 */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> OWNER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OWNER_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> PUBLIC_FILE = PosixFilePermissions.fromString("rw-r--r--");

    private PrivateFiles() {}

    /**
     * Creates the directory and its missing parents, accessible by their owner only; restricts the permissions of an
     * existing one.
     */
    public static void makeDirectory(Path directory) throws IOException {
        boolean isNew = !Files.exists(directory);
        Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_DIRECTORY));
        tighten(directory, OWNER_DIRECTORY);
        if (isNew) {
            // Files in it are only durable if the directory's own entry is.
            syncDirectory(directory.toAbsolutePath().getParent());
        }
    }

    /** Writes a secret file. */
    public static void write(Path file, String content) throws IOException {
        replace(file, content, OWNER_FILE);
    }

    /** Writes a public file atomically. */
    static void writePublic(Path file, String content) throws IOException {
        replace(file, content, PUBLIC_FILE);
    }

    /** Reads a secret file, and removes access for others. */
    static String read(Path file) throws IOException {
        tighten(file, OWNER_FILE);
        return Files.readString(file);
    }

    private static void replace(Path file, String content, Set<PosixFilePermission> permissions) throws IOException {
        Path target = file.toAbsolutePath();
        Path temporary = target.resolveSibling(target.getFileName() + ".new");
        Files.deleteIfExists(temporary); // left by a crash; a fixed name leaves at most one
        try (FileChannel channel = FileChannel.open(
                temporary,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(OWNER_FILE))) {
            ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            Files.setPosixFilePermissions(temporary, permissions); // the umask may have removed permissions
            channel.force(true);
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            // The system's message does not name the file.
            IOException named = new FileSystemException(temporary.toString(), null, e.getMessage());
            named.initCause(e);
            throw named;
        }
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
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
