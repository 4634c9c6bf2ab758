package dev.mooring.api.discovery;

import java.nio.charset.StandardCharsets;

/**
 * A complete response body. All requests share the array, which must not be modified.
 *
 * @param etag with quotes; changes with the body
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; copying it per request would be wasteful
public record DiscoveryResponse(byte[] body, String contentType, String etag) {

    static DiscoveryResponse of(String json, String contentType) {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        return new DiscoveryResponse(body, contentType, Etag.of(body));
    }
}
