package dev.mooring.volumedriver;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;

/**
 * The file of the driver's socket. The socket is bound in a private directory and moved to its place when its mode is
 * 0600, so that it is never open to other users, and replaces a stale socket at once. Used by one verticle; blocks.
 */
final class DriverSocket {
    private final Path path;
    private Object fileKey;

    DriverSocket(Path path) {
        this.path = path;
    }

    /** Returns the path to bind. Fails if a server listens at the socket's place, or another file is there. */
    Path prepare() throws IOException {
        Files.createDirectories(path.getParent());
        requireUnused();
        Path directory = path.resolveSibling('.'
                + path.getFileName().toString()
                + '.'
                + ProcessHandle.current().pid());
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        Path bound = directory.resolve("s");
        Files.deleteIfExists(bound);
        return bound;
    }

    private void requireUnused() throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther()) {
            throw new IOException(path + " is not a socket; remove it, or set docker.pluginSocket to another path");
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            return; // stale: no process listens
        }
        throw new IOException("another server listens on " + path
                + "; stop it, or set docker.pluginSocket to another path or to none");
    }

    /** Moves a bound socket to its place. */
    void publish(Path bound) throws IOException {
        Files.setPosixFilePermissions(bound, PosixFilePermissions.fromString("rw-------"));
        fileKey = key(bound);
        Files.move(bound, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Files.delete(bound.getParent());
    }

    /** Removes the socket, unless another server has replaced it. */
    void remove() throws IOException {
        if (fileKey != null && Files.exists(path, LinkOption.NOFOLLOW_LINKS) && Objects.equals(fileKey, key(path))) {
            Files.delete(path);
        }
    }

    private static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }
}
