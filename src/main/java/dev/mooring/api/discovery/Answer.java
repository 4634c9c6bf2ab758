package dev.mooring.api.discovery;

import java.nio.charset.StandardCharsets;

/**
 * A finished response body. The array is shared by all who ask: nobody may write to it.
 *
 * @param etag with its quotes; changes when the body does
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; copied for each request it would be of no use
public record Answer(byte[] body, String contentType, String etag) {

    static Answer of(String json, String contentType) {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        return new Answer(body, contentType, Etag.of(body));
    }
}
