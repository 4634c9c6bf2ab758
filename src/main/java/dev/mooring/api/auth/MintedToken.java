package dev.mooring.api.auth;

/** A new token in clear text, on its way to its owner. No record: its text form would show it. */
public final class MintedToken {
    private final String name;
    private final String text;

    MintedToken(String name, String text) {
        this.name = name;
        this.text = text;
    }

    /** Of the Token object that vouches for it. */
    public String name() {
        return name;
    }

    /** What its owner sends as bearer token. */
    public String text() {
        return text;
    }

    /** What is stored: {@code spec.sha256}. */
    public String sha256() {
        return TokenText.hex(TokenText.sha256(text));
    }

    @Override
    public String toString() {
        return "token " + name;
    }
}
