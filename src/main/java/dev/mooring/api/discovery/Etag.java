package dev.mooring.api.discovery;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Tags that change when, and only when, the body does. */
public final class Etag {
    private Etag() {}

    /** The value of the header, with its quotes. */
    public static String of(byte[] body) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
            return '"' + HexFormat.of().withUpperCase().formatHex(digest) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected SHA-256 in every Java, but this one has none", e);
        }
    }
}
