package dev.mooring.api.resource;

import dev.mooring.api.status.Status;
import dev.mooring.model.StoredObject;
import java.util.List;

/**
 * What a write is answered with.
 *
 * @param json not to be modified
 * @param warnings for the user, one line each
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody, and copied it would be of no use
public record Answer(int code, byte[] json, List<String> warnings) {
    static Answer ok(StoredObject object, List<String> warnings) {
        return new Answer(200, object.json(), warnings);
    }

    static Answer of(Status status, List<String> warnings) {
        return new Answer(status.code(), status.toJson(), warnings);
    }
}
