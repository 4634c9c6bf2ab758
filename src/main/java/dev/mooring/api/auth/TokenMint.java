package dev.mooring.api.auth;

import java.security.SecureRandom;
import java.util.Base64;

/** Makes tokens: 256 random bits each, which need no slow hash. As safe for threads as its source of chance. */
public final class TokenMint {
    private static final int SECRET_BYTES = 32;

    private final SecureRandom random;

    public TokenMint(SecureRandom random) {
        this.random = random;
    }

    /** @param name of the Token object that will vouch for it */
    public MintedToken mint(String name) {
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return new MintedToken(
                name, TokenText.of(name, Base64.getUrlEncoder().withoutPadding().encodeToString(secret)));
    }

    /** A name for a token that nobody named: unlikely enough to be taken. */
    String anyName(String prefix) {
        byte[] chance = new byte[8];
        random.nextBytes(chance);
        return prefix + TokenText.hex(chance);
    }
}
