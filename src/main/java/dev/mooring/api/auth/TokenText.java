package dev.mooring.api.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * How a token is written: {@code mrg_NAME_SECRET}. It names the Token object that vouches for it, as Kubernetes' bootstrap tokens do, so
 * that nobody has to search for its hash. The prefix lets secret scanners find tokens that went astray.
 */
final class TokenText {
    static final String PREFIX = "mrg_";

    /** Names are at most 253 long, secrets 43. What is longer is not worth hashing. */
    static final int MAX_LENGTH = 512;

    private static final int MAX_NAME = 253;

    private TokenText() {}

    static String of(String name, String secret) {
        return PREFIX + name + '_' + secret;
    }

    /** The name of the Token object that a text refers to, if it has the form of a token. No name has an underscore in it. */
    static Optional<String> name(String text) {
        if (!text.startsWith(PREFIX)) {
            return Optional.empty();
        }
        int end = text.indexOf('_', PREFIX.length());
        if (end <= PREFIX.length() || end - PREFIX.length() > MAX_NAME) {
            return Optional.empty();
        }
        for (int i = PREFIX.length(); i < end; i++) {
            char c = text.charAt(i);
            boolean alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            if (!alphanumeric && c != '-' && c != '.') {
                return Optional.empty();
            }
        }
        return Optional.of(text.substring(PREFIX.length(), end));
    }

    static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java runtime has SHA-256", e);
        }
    }

    static String hex(byte[] hash) {
        return HexFormat.of().formatHex(hash);
    }
}
