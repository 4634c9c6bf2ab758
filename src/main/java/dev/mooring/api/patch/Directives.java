package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.status.GoText;
import java.util.Map;
import java.util.Optional;

/** What a strategic merge patch says besides values, and values without it. */
final class Directives {
    static final String PATCH = "$patch";
    static final String DELETE = "delete";
    static final String REPLACE = "replace";
    static final String MERGE = "merge";
    static final String RETAIN_KEYS = "$retainKeys";

    private static final String ELEMENT_ORDER = "$setElementOrder";
    private static final String DELETIONS = "$deleteFromPrimitiveList";

    private Directives() {}

    static boolean isElementOrder(String name) {
        return name.startsWith(ELEMENT_ORDER);
    }

    static boolean isDeletions(String name) {
        return name.startsWith(DELETIONS);
    }

    static String listOfElementOrder(String name) {
        return behindSlash(name, ELEMENT_ORDER, "invalid patch format of setElementOrder list");
    }

    static String listOfDeletions(String name) {
        return behindSlash(name, DELETIONS, "invalid patch format of primitive list");
    }

    private static String behindSlash(String name, String prefix, String complaint) {
        if (!name.startsWith(prefix + '/')) {
            throw PatchException.malformed(complaint);
        }
        return name.substring(prefix.length() + 1);
    }

    static PatchException unknown(JsonNode directive, JsonNode in) {
        return PatchException.malformed(
                "unknown patch type: " + GoText.plain(directive) + " in map: " + GoText.plain(in));
    }

    /**
     * A copy of a value that has nothing to be merged with: without fields that are null, and without directives. Nothing is left
     * of an object with a {@code $patch} of its own, since there is nothing to delete or replace.
     */
    static Optional<JsonNode> without(JsonNode value, int depth) {
        if (!value.isContainerNode()) {
            return Optional.of(value);
        }
        StrategicMergePatch.requireShallow(depth);
        if (value instanceof ObjectNode object) {
            return object.has(PATCH) ? Optional.empty() : Optional.of(withoutOwn(object, depth));
        }
        ArrayNode kept = JsonNodeFactory.instance.arrayNode(value.size());
        for (JsonNode element : value) {
            without(element, depth + 1).ifPresent(kept::add);
        }
        return Optional.of(kept);
    }

    /** As {@link #without}, but the object itself stays, whatever its {@code $patch}. */
    static ObjectNode withoutOwn(ObjectNode object, int depth) {
        ObjectNode kept = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String name = field.getKey();
            JsonNode value = field.getValue();
            boolean directive =
                    name.equals(PATCH) || name.equals(RETAIN_KEYS) || isElementOrder(name) || isDeletions(name);
            if (!directive && !value.isNull()) {
                without(value, depth + 1).ifPresent(each -> kept.set(name, each));
            }
        }
        return kept;
    }
}
