package dev.mooring.api.tls;

import dev.mooring.model.Digests;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The file of API tokens. A token has 256 random bits and is stored only as its SHA-256 hash, in a file of mode 0600;
 * random tokens need no slow hash. Reads are lock-free and thread-safe; writes require external synchronization.
 */
public final class TokenFile {
    /** The user of this server's kubeconfig. */
    public static final String ADMIN = "admin";

    private static final int TOKEN_BYTES = 32;

    private record Entry(String user, String sha256, Instant created) {}

    private final Path file;
    private final SigningKeys signingKeys;
    private volatile List<Entry> entries;

    private TokenFile(Path file, SigningKeys signingKeys, List<Entry> entries) {
        this.file = file;
        this.signingKeys = signingKeys;
        this.entries = entries;
    }

    /** Loads the file; a missing file has no tokens. */
    public static TokenFile load(Path file) throws IOException {
        SigningKeys keys = SigningKeys.load(file.toAbsolutePath().getParent());
        if (!Files.exists(file)) {
            return new TokenFile(file, keys, List.of());
        }
        List<Entry> entries = new ArrayList<>();
        try {
            for (Object item : new JsonObject(PrivateFiles.read(file)).getJsonArray("tokens")) {
                JsonObject entry = (JsonObject) item;
                entries.add(new Entry(
                        entry.getString("user"), requireHash(entry.getString("sha256")), entry.getInstant("created")));
            }
        } catch (DecodeException | ClassCastException | NullPointerException | IllegalArgumentException e) {
            throw new IOException(
                    "Failed to read token file " + file + ": " + e.getMessage()
                            + "; next: restore it, or move it away to create a new admin token",
                    e);
        }
        return new TokenFile(file, keys, List.copyOf(entries));
    }

    /** Returns the keys in the file's directory that sign tokens of service accounts. */
    public SigningKeys signingKeys() {
        return signingKeys;
    }

    /** Returns the user of a token. Takes constant time: compares all entries, each in constant time. */
    public Optional<String> userOf(String token) {
        byte[] presented = Digests.sha256Hex(token).getBytes(StandardCharsets.US_ASCII);
        String user = null;
        for (Entry entry : entries) {
            if (MessageDigest.isEqual(entry.sha256().getBytes(StandardCharsets.US_ASCII), presented)) {
                user = entry.user();
            }
        }
        return Optional.ofNullable(user);
    }

    /** Creates a new token for a user and revokes the previous one. The clear text is only returned, never stored. */
    public String mint(String user, Clock clock, SecureRandom random) throws IOException {
        byte[] secret = new byte[TOKEN_BYTES];
        random.nextBytes(secret);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        List<Entry> changed = new ArrayList<>(entries);
        changed.removeIf(entry -> entry.user().equals(user));
        changed.add(new Entry(user, Digests.sha256Hex(token), clock.instant()));
        store(changed);
        entries = List.copyOf(changed);
        return token;
    }

    private void store(List<Entry> changed) throws IOException {
        JsonArray list = new JsonArray();
        for (Entry entry : changed) {
            list.add(new JsonObject()
                    .put("user", entry.user())
                    .put("sha256", entry.sha256())
                    .put("created", entry.created()));
        }
        PrivateFiles.write(file, new JsonObject().put("tokens", list).encodePrettily() + "\n");
    }

    private static String requireHash(String text) {
        return HexFormat.of().formatHex(HexFormat.of().parseHex(text));
    }
}
