package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.patch.JsonMergePatch;
import dev.mooring.api.patch.JsonPatch;
import dev.mooring.api.patch.PatchException;
import dev.mooring.api.patch.StrategicMergePatch;
import dev.mooring.api.types.BodyException;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.ShapeCheck;
import java.util.ArrayList;
import java.util.List;

/**
 * A patch of an object in one of three formats.
 *
 * @param findings strict validation errors in the text of the patch itself
 */
public record Patch(PatchFormat format, JsonNode body, List<String> findings) {
    /** The format of a patch. */
    public enum PatchFormat {
        STRATEGIC,
        MERGE,
        JSON
    }

    /** Returns the patched object, of the right shape. The original is not modified. */
    KindDecoder.DecodedBody applyTo(ObjectNode before, KindDefinition kind) {
        JsonNode patched = patched(before, kind);
        if (!(patched instanceof ObjectNode object)) {
            throw new StatusException(
                    Status.badRequest("Patched " + kind.names().kind() + " must be an object"));
        }
        kind.rules().normalize(object);
        // Fields that were unknown before are not reported to this writer.
        List<String> unknown = new ArrayList<>(check(object, kind));
        if (!unknown.isEmpty()) {
            unknown.removeAll(check(before.deepCopy(), kind));
        }
        unknown.addAll(0, findings);
        object.put("kind", kind.names().kind()).put("apiVersion", kind.names().apiVersion());
        return new KindDecoder.DecodedBody(object, unknown);
    }

    private JsonNode patched(ObjectNode before, KindDefinition kind) {
        try {
            return switch (format) {
                case STRATEGIC -> StrategicMergePatch.apply(before, objectBody(kind), kind.schema());
                case MERGE -> JsonMergePatch.apply(before, objectBody(kind));
                case JSON -> JsonPatch.apply(before, body);
            };
        } catch (PatchException e) {
            String reason = switch (e.status()) {
                case 413 -> "RequestEntityTooLarge";
                case 422 -> "Invalid";
                default -> "BadRequest";
            };
            throw new StatusException(new Status(e.status(), reason, e.getMessage()));
        }
    }

    private ObjectNode objectBody(KindDefinition kind) {
        if (body instanceof ObjectNode object) {
            return object;
        }
        throw new StatusException(Status.badRequest("Patch of " + kind.names().kind() + " must be an object"));
    }

    private static List<String> check(ObjectNode object, KindDefinition kind) {
        try {
            return ShapeCheck.check(object, kind.schema()).unknownFields();
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(kind.decoder().refusal(e.getMessage())));
        }
    }
}
