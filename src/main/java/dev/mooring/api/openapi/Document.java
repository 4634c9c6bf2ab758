package dev.mooring.api.openapi;

import dev.mooring.api.discovery.Etag;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * A finished response. The arrays are shared by all who ask: nobody may write to them.
 *
 * @param gzip the body compressed, if that is worth it
 * @param etag with its quotes; changes when the body does
 * @param cacheControl value of the header of that name
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; copied for each request it would be of no use
public record Document(byte[] body, Optional<byte[]> gzip, String contentType, String etag, String cacheControl) {
    static final String ASK_AGAIN = "no-cache, private";
    static final String FOR_EVER = "public, immutable";

    /** Below that, compressing saves no packet. */
    private static final int WORTH_COMPRESSING = 4096;

    static Document of(byte[] body, String contentType) {
        Optional<byte[]> gzip = body.length < WORTH_COMPRESSING ? Optional.empty() : Optional.of(compress(body));
        return new Document(body, gzip, contentType, Etag.of(body), ASK_AGAIN);
    }

    /** Under an address that contains its hash. */
    Document immutable() {
        return new Document(body, gzip, contentType, etag, FOR_EVER);
    }

    /** The ETag without its quotes. */
    String hash() {
        return etag.substring(1, etag.length() - 1);
    }

    private static byte[] compress(byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length / 4);
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException("Expected to compress in memory, but that failed", e);
        }
        return out.toByteArray();
    }
}
