package dev.mooring.api.resource;

import dev.mooring.api.Status;
import dev.mooring.model.StoredObject;
import java.util.List;

/**
 * The response to a write.
 *
 * @param json must not be modified
 * @param warnings for the user, one line each
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a copy would be wasteful
public record WriteResponse(int code, byte[] json, List<String> warnings) {
    static WriteResponse ok(StoredObject object, List<String> warnings) {
        return new WriteResponse(200, object.json(), warnings);
    }

    static WriteResponse of(Status status, List<String> warnings) {
        return new WriteResponse(status.code(), status.toJson(), warnings);
    }
}
