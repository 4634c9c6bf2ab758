package dev.mooring.api.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Optional;

/** Reads fields for columns. Never fails: a missing value, or one of another type, is empty. */
final class ColumnFields {
    static final String NONE = "<none>";
    static final String UNSET = "<unset>";

    private ColumnFields() {}

    static JsonNode at(JsonNode object, String... path) {
        JsonNode node = object;
        for (String step : path) {
            node = node.path(step);
        }
        return node;
    }

    /** Returns the text; empty if missing. */
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

    /**
     * Returns the text, or the fallback only if it is missing; for pointer fields of Kubernetes, where an empty string
     * is a value.
     */
    static String presentOr(String fallback, JsonNode object, String... path) {
        JsonNode node = at(object, path);
        return node.isMissingNode() || node.isNull() ? fallback : text(node);
    }

    static boolean isPresent(JsonNode object, String... path) {
        JsonNode node = at(object, path);
        return !node.isMissingNode() && !node.isNull();
    }

    static String name(JsonNode object) {
        return text(object, "metadata", "name");
    }

    static boolean isBeingDeleted(JsonNode object) {
        return isPresent(object, "metadata", "deletionTimestamp");
    }

    static String age(JsonNode object, Instant now) {
        return AgeFormat.since(text(object, "metadata", "creationTimestamp"), now);
    }

    /** Returns the phase, or Terminating if the object is being deleted. */
    static String phase(JsonNode object) {
        return isBeingDeleted(object) ? "Terminating" : text(object, "status", "phase");
    }

    static Optional<Instant> time(JsonNode object, String... path) {
        return AgeFormat.parse(text(object, path));
    }
}
