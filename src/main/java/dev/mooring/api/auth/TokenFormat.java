package dev.mooring.api.auth;

import java.util.Optional;

/**
 * The format of a token: {@code mrg_NAME_SECRET}. It contains the name of its Token object, as Kubernetes' bootstrap
 * tokens do, so that no search by hash is needed. The prefix lets secret scanners detect leaked tokens.
 */
final class TokenFormat {
    static final String PREFIX = "mrg_";

    /** Maximum token length, checked before hashing. Names have at most 253 characters, secrets 43. */
    static final int MAX_LENGTH = 512;

    private static final int MAX_NAME = 253;

    private TokenFormat() {}

    static String of(String name, String secret) {
        return PREFIX + name + '_' + secret;
    }

    /** Returns the name of the Token object, if the text has the form of a token. Names contain no underscore. */
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
}
