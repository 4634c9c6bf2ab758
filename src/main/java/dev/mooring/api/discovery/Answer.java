package dev.mooring.api.discovery;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A finished response body. The array is shared by all who ask: nobody may write to it.
 *
 * @param etag with its quotes; changes when the body does
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; copied for each request it would be of no use
public record Answer(byte[] body, String contentType, String etag) {

    static Answer of(String json, String contentType) {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        return new Answer(body, contentType, etag(body));
    }

    private static String etag(byte[] body) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
            return '"' + HexFormat.of().withUpperCase().formatHex(digest) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected SHA-256 in every Java, but this one has none", e);
        }
    }
}
