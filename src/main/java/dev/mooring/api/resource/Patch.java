package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.decode.BodyException;
import dev.mooring.api.decode.Decoded;
import dev.mooring.api.decode.ShapeCheck;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.patch.JsonMergePatch;
import dev.mooring.api.patch.JsonPatch;
import dev.mooring.api.patch.PatchException;
import dev.mooring.api.patch.StrategicMergePatch;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import java.util.ArrayList;
import java.util.List;

/**
 * A change of an object in one of three languages.
 *
 * @param findings what a strict reader would not have let pass in the patch's own text
 */
public record Patch(Language language, JsonNode body, List<String> findings) {
    /** How the change is written. */
    public enum Language {
        STRATEGIC,
        MERGE,
        JSON
    }

    /** The changed object, of the right shape. The original stays as it is. */
    Decoded applyTo(ObjectNode before, Kind kind) {
        JsonNode patched = patched(before, kind);
        if (!(patched instanceof ObjectNode object)) {
            throw new StatusException(Status.badRequest(
                    "Expected the patch to leave " + kind.names().kind() + " an object, but it does not"));
        }
        kind.rules().normalize(object);
        // What was unknown before is not this writer's doing.
        List<String> unknown = new ArrayList<>(check(object, kind));
        if (!unknown.isEmpty()) {
            unknown.removeAll(check(before.deepCopy(), kind));
        }
        unknown.addAll(0, findings);
        object.put("kind", kind.names().kind()).put("apiVersion", kind.names().apiVersion());
        return new Decoded(object, unknown);
    }

    private JsonNode patched(ObjectNode before, Kind kind) {
        try {
            return switch (language) {
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

    private ObjectNode objectBody(Kind kind) {
        if (body instanceof ObjectNode object) {
            return object;
        }
        throw new StatusException(Status.badRequest(
                "Expected a patch of " + kind.names().kind() + " to be an object, but it is something else"));
    }

    private static List<String> check(ObjectNode object, Kind kind) {
        try {
            return ShapeCheck.check(object, kind.schema()).unknownFields();
        } catch (BodyException e) {
            throw new StatusException(Status.badRequest(kind.decoder().refusal(e.getMessage())));
        }
    }
}
