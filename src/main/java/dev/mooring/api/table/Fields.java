package dev.mooring.api.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Optional;

/** Reads fields of an object as a column shows them. Nothing here fails: what is missing or of another type is empty. */
final class Fields {
    static final String NONE = "<none>";
    static final String UNSET = "<unset>";

    private Fields() {}

    static JsonNode at(JsonNode object, String... path) {
        JsonNode node = object;
        for (String step : path) {
            node = node.path(step);
        }
        return node;
    }

    /** Empty if missing. */
    static String text(JsonNode object, String... path) {
        return text(at(object, path));
    }

    static String text(JsonNode node) {
        return node.isValueNode() && !node.isNull() ? node.asText() : "";
    }

    static String textOr(String fallback, JsonNode object, String... path) {
        String text = text(object, path);
        return text.isEmpty() ? fallback : text;
    }

    /** For fields that are a pointer in Kubernetes: an empty text is a value, only a missing one is not. */
    static String presentOr(String fallback, JsonNode object, String... path) {
        JsonNode node = at(object, path);
        return node.isMissingNode() || node.isNull() ? fallback : text(node);
    }

    static boolean isThere(JsonNode object, String... path) {
        JsonNode node = at(object, path);
        return !node.isMissingNode() && !node.isNull();
    }

    static String name(JsonNode object) {
        return text(object, "metadata", "name");
    }

    static boolean isBeingDeleted(JsonNode object) {
        return isThere(object, "metadata", "deletionTimestamp");
    }

    static String age(JsonNode object, Instant now) {
        return Ages.since(text(object, "metadata", "creationTimestamp"), now);
    }

    /** A phase, or that the object is on its way out. */
    static String phase(JsonNode object) {
        return isBeingDeleted(object) ? "Terminating" : text(object, "status", "phase");
    }

    static Optional<Instant> time(JsonNode object, String... path) {
        return Ages.parse(text(object, path));
    }
}
