package dev.mooring.api.tls;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Who may use the API. A token is 256 random bits and is stored only as its SHA-256 hash, in a file of mode 0600; random tokens
 * need no slow hash. Reading is lock-free and may happen on any thread; changes are made by one thread at a time.
 */
public final class Tokens {
    /** The user that the kubeconfig of this server belongs to. */
    public static final String ADMIN = "admin";

    private static final int TOKEN_BYTES = 32;

    private record Entry(String user, String sha256, Instant created) {}

    private final Path file;
    private volatile List<Entry> entries;

    private Tokens(Path file, List<Entry> entries) {
        this.file = file;
        this.entries = entries;
    }

    /** No file means no tokens yet. */
    public static Tokens load(Path file) throws IOException {
        if (!Files.exists(file)) {
            return new Tokens(file, List.of());
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
                    "Expected hashed tokens in " + file + ", but it cannot be read: " + e.getMessage()
                            + "; next: restore it, or move it away to have a new admin token made",
                    e);
        }
        return new Tokens(file, List.copyOf(entries));
    }

    /** Takes the same time whether, and where, a token differs: all entries are compared, each in constant time. */
    public Optional<String> userOf(String token) {
        byte[] presented = sha256(token).getBytes(StandardCharsets.US_ASCII);
        String user = null;
        for (Entry entry : entries) {
            if (MessageDigest.isEqual(entry.sha256().getBytes(StandardCharsets.US_ASCII), presented)) {
                user = entry.user();
            }
        }
        return Optional.ofNullable(user);
    }

    /** Makes a new token for a user, whose former one ends. The clear text exists only in the answer. */
    public String mint(String user, Clock clock, SecureRandom random) throws IOException {
        byte[] secret = new byte[TOKEN_BYTES];
        random.nextBytes(secret);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        List<Entry> changed = new ArrayList<>(entries);
        changed.removeIf(entry -> entry.user().equals(user));
        changed.add(new Entry(user, sha256(token), clock.instant()));
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

    private static String sha256(String token) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
    }
}
