package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.GoText;
import java.util.Map;
import java.util.Optional;

/** The directives of a strategic merge patch, and functions that remove them from values. */
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
        return afterSlash(name, ELEMENT_ORDER, "invalid patch format of setElementOrder list");
    }

    static String listOfDeletions(String name) {
        return afterSlash(name, DELETIONS, "invalid patch format of primitive list");
    }

    private static String afterSlash(String name, String prefix, String complaint) {
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
     * Returns a copy of a value that has nothing to merge with: without null fields and directives. Empty for an object
     * with its own {@code $patch}, since there is nothing to delete or replace.
     */
    static Optional<JsonNode> stripDirectives(JsonNode value, int depth) {
        if (!value.isContainerNode()) {
            return Optional.of(value);
        }
        StrategicMergePatch.requireShallow(depth);
        if (value instanceof ObjectNode object) {
            return object.has(PATCH) ? Optional.empty() : Optional.of(stripOwnDirectives(object, depth));
        }
        ArrayNode kept = JsonNodeFactory.instance.arrayNode(value.size());
        for (JsonNode element : value) {
            stripDirectives(element, depth + 1).ifPresent(kept::add);
        }
        return Optional.of(kept);
    }

    /** As {@link #stripDirectives}, but keeps the object itself, regardless of its {@code $patch}. */
    static ObjectNode stripOwnDirectives(ObjectNode object, int depth) {
        ObjectNode kept = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String name = field.getKey();
            JsonNode value = field.getValue();
            boolean directive =
                    name.equals(PATCH) || name.equals(RETAIN_KEYS) || isElementOrder(name) || isDeletions(name);
            if (!directive && !value.isNull()) {
                stripDirectives(value, depth + 1).ifPresent(each -> kept.set(name, each));
            }
        }
        return kept;
    }
}
