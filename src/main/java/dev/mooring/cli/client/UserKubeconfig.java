package dev.mooring.cli.client;

import dev.mooring.cli.ExitCode;
import dev.mooring.cli.MooringException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Set;

/**
 * A kubeconfig to hand to a user: a new file, from the first byte on for its owner only. It is reserved before there is a token to put into
 * it, so that no token is made that cannot be kept. Never replaces a file.
 */
public final class UserKubeconfig {
    private final Path file;

    private UserKubeconfig(Path file) {
        this.file = file;
    }

    public static UserKubeconfig reserve(Path file) throws IOException {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            throw new MooringException(
                    ExitCode.CONFLICT,
                    "Expected to write a new kubeconfig to " + file
                            + ", but something is there already; next: choose another path, or move it away",
                    e);
        }
        return new UserKubeconfig(file);
    }

    /** Gives the path back: no token came of it. */
    public void abandon() throws IOException {
        Files.deleteIfExists(file);
    }

    /** @param user a label for people; the server knows its bearer by the token */
    public void write(ServerAccess server, String user, String token) throws IOException {
        try (FileChannel channel = FileChannel.open(file, Set.of(StandardOpenOption.WRITE))) {
            ByteBuffer bytes = ByteBuffer.wrap(yaml(server, user, token).getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    private static String yaml(ServerAccess server, String user, String token) {
        String authority =
                Base64.getEncoder().encodeToString(server.authorityPem().getBytes(StandardCharsets.UTF_8));
        return """
            # Written by mooring token create. Whoever has this file can act as its user.
            apiVersion: v1
            kind: Config
            clusters:
            - name: mooring
              cluster:
                server: %1$s
                certificate-authority-data: %2$s
            users:
            - name: %3$s
              user:
                token: "%4$s"
            contexts:
            - name: mooring
              context:
                cluster: mooring
                user: %3$s
            current-context: mooring
            """.formatted(server.server(), authority, quoted(user), token);
    }

    /** Single quotes: in them, YAML knows no escapes but for themselves. */
    private static String quoted(String text) {
        return '\'' + text.replace("'", "''") + '\'';
    }
}
