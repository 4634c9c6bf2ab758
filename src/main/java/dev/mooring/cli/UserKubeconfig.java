package dev.mooring.cli;

import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
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
 * A new kubeconfig file for a user, accessible by the owner only from the start. The file is created before the token,
 * so that no token is created that cannot be stored. Never replaces a file.
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
                    "Cannot write a new kubeconfig: " + file
                            + " already exists; next: choose another path, or move it away",
                    e);
        }
        return new UserKubeconfig(file);
    }

    /** Deletes the empty file; no token was created. */
    public void abandon() throws IOException {
        Files.deleteIfExists(file);
    }

    /**
     * Writes the kubeconfig.
     *
     * @param user a label; the server identifies the user by the token
     */
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
            # Written by mooring token create. Keep it secret: it gives access as its user.
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

    /** Quotes a YAML string with single quotes, in which only the quote itself needs escaping. */
    private static String quoted(String text) {
        return '\'' + text.replace("'", "''") + '\'';
    }
}
