package dev.mooring.api.auth;

import dev.mooring.model.Digests;

/** A new token in clear text. Not a record, because its string form would reveal the token. */
public final class MintedToken {
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
