package dev.mooring.api.discovery;

import dev.mooring.model.Digests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * A complete response. All requests share the arrays, which must not be modified.
 *
 * @param gzip compressed body, if it is worth compressing
 * @param etag with quotes; changes with the body
 * @param cacheControl value of the header of that name
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; copying it per request would be wasteful
public record Document(byte[] body, Optional<byte[]> gzip, String contentType, String etag, String cacheControl) {
    static final String REVALIDATE = "no-cache, private";
    static final String IMMUTABLE = "public, immutable";

    /** Minimum size for compression; below, it saves no packet. */
    private static final int WORTH_COMPRESSING = 4096;

    /** Returns a document that clients revalidate by its ETag. */
    public static Document of(byte[] body, String contentType) {
        Optional<byte[]> gzip = body.length < WORTH_COMPRESSING ? Optional.empty() : Optional.of(compress(body));
        return new Document(body, gzip, contentType, Etag.of(body), REVALIDATE);
    }

    /** Returns a copy that can be cached forever, for an address that contains the hash. */
    Document immutable() {
        return new Document(body, gzip, contentType, etag, IMMUTABLE);
    }

    /** Returns the ETag without quotes. */
    String hash() {
        return etag.substring(1, etag.length() - 1);
    }

    private static byte[] compress(byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length / 4);
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to compress document", e);
        }
        return out.toByteArray();
    }

    /** Computes ETags, which change if and only if the body does. */
    public static final class Etag {
        private Etag() {}

        /** Returns the header value, with quotes. */
        public static String of(byte[] body) {
            return '"' + HexFormat.of().withUpperCase().formatHex(Digests.sha256(body)) + '"';
        }
    }
}
