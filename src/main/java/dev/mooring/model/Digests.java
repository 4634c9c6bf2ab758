package dev.mooring.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 hashes. Texts are hashed as UTF-8; hexadecimal digits are lower-case. Pure; thread-safe. */
public final class Digests {
    private Digests() {}

    /** Returns a new digest for content that is hashed in parts. */
    public static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available", e); // every Java platform must have it
        }
    }

    public static byte[] sha256(byte[] content) {
        return newSha256().digest(content);
    }

    public static byte[] sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    public static String sha256Hex(byte[] content) {
        return HexFormat.of().formatHex(sha256(content));
    }

    public static String sha256Hex(String text) {
        return HexFormat.of().formatHex(sha256(text));
    }

    /** Returns the first bytes of the hash, for names that only have to be distinct. */
    public static String sha256Hex(String text, int bytes) {
        return HexFormat.of().formatHex(sha256(text), 0, bytes);
    }
}
