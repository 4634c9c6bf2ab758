package dev.mooring.api.discovery;

import dev.mooring.model.Digests;
import java.util.HexFormat;

/** Computes ETags, which change if and only if the body does. */
public final class Etag {
    private Etag() {}

    /** Returns the header value, with quotes. */
    public static String of(byte[] body) {
        return '"' + HexFormat.of().withUpperCase().formatHex(Digests.sha256(body)) + '"';
    }
}
