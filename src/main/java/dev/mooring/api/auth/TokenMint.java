package dev.mooring.api.auth;

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
}
