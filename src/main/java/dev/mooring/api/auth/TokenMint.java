package dev.mooring.api.auth;

import dev.mooring.model.Digests;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/** Generates tokens with 256 random bits each, which need no slow hash. Thread-safe if its random source is. */
public final class TokenMint {
    private static final int SECRET_BYTES = 32;

    private final SecureRandom random;

    public TokenMint(SecureRandom random) {
        this.random = random;
    }

    /** @param name of its Token object */
    public MintedToken mint(String name) {
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return new MintedToken(
                name,
                TokenFormat.of(name, Base64.getUrlEncoder().withoutPadding().encodeToString(secret)));
    }

    /** Generates a token name that is very unlikely to be taken. */
    String generateName(String prefix) {
        byte[] chance = new byte[8];
        random.nextBytes(chance);
        return prefix + HexFormat.of().formatHex(chance);
    }

    /** A new token in clear text. Not a record, because its string form would reveal the token. */
    public static final class MintedToken {
        private final String name;
        private final String text;

        MintedToken(String name, String text) {
            this.name = name;
            this.text = text;
        }

        /** Returns the name of its Token object. */
        public String name() {
            return name;
        }

        /** Returns the bearer token. */
        public String text() {
            return text;
        }

        /** Returns the stored hash: {@code spec.sha256}. */
        public String sha256() {
            return Digests.sha256Hex(text);
        }

        @Override
        public String toString() {
            return "token " + name;
        }
    }
}
