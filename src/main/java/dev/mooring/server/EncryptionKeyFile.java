package dev.mooring.server;

import dev.mooring.log.Encryption;
import java.io.IOException;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The key file for Secrets in the log. Each line is {@code ID BASE64}: a number and 32 random bytes. The first key
 * encrypts, all keys decrypt. Empty lines and lines that begin with {@code #} are ignored.
 */
public final class EncryptionKeyFile {
    private static final long MAX_BYTES = 64 << 10;
    private static final int FOR_OTHERS = 077;

    /** The owner of this path is the user of this process. */
    private static final Path SELF = Path.of("/proc/self");

    private EncryptionKeyFile() {}

    /**
     * Reads the keys.
     *
     * @throws MooringException if the file is missing, readable by others, or malformed
     */
    public static List<Encryption.NamedKey> read(Path file) throws IOException {
        CommandFailure.requireAccess(file, AccessMode.READ);
        if (!Files.isRegularFile(file)) {
            throw wrong(file, "is not a file", "create it as described in docs/event-log.md");
        }
        if (((Integer) Files.getAttribute(file, "unix:mode") & FOR_OTHERS) != 0) {
            throw wrong(file, "can be read or written by others", "chmod 600 " + file);
        }
        if (!isOurs(file)) {
            throw wrong(
                    file,
                    "belongs to user " + Files.getOwner(file).getName(),
                    "chown it to the user that runs Mooring");
        }
        if (Files.size(file) > MAX_BYTES) {
            throw wrong(file, "has more than " + MAX_BYTES + " bytes", "specify the right file");
        }
        return parse(file, Files.readAllLines(file));
    }

    /** Returns whether the file belongs to the user of this process. */
    public static boolean isOurs(Path file) throws IOException {
        return Files.getAttribute(file, "unix:uid").equals(Files.getAttribute(SELF, "unix:uid"));
    }

    private static List<Encryption.NamedKey> parse(Path file, List<String> lines) {
        List<Encryption.NamedKey> keys = new ArrayList<>();
        Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).trim();
            if (!line.isEmpty() && !line.startsWith("#")) {
                Encryption.NamedKey key = key(file, i + 1, line);
                if (!ids.add(key.id())) {
                    throw wrong(file, "has key " + key.id() + " twice", "give the new key another number");
                }
                keys.add(key);
            }
        }
        if (keys.isEmpty()) {
            throw wrong(file, "has no key", "create it as described in docs/event-log.md");
        }
        return keys;
    }

    /** Parses a line. Errors never quote the line, because it may contain a key. */
    private static Encryption.NamedKey key(Path file, int number, String line) {
        String[] parts = line.split("\\s+", -1);
        try {
            if (parts.length == 2) {
                return Encryption.NamedKey.of(
                        Integer.parseInt(parts[0]), Base64.getDecoder().decode(parts[1]));
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw wrong(
                file,
                "is malformed in line " + number,
                "write a number from 1 to " + Encryption.MAX_KEY_ID + ", a space, and " + Encryption.KEY_BYTES
                        + " random bytes in base64");
    }

    private static MooringException wrong(Path file, String found, String next) {
        return new MooringException(ExitCode.USAGE, "Encryption key file " + file + " " + found + "; next: " + next);
    }
}
