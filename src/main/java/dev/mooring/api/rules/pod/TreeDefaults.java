package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;

/** Functions for setting defaults in a tree. Values of an unexpected type are skipped. Stateless. */
final class TreeDefaults {
    private TreeDefaults() {}

    /** Runs an action on the object in the field, if there is one. */
    static void with(ObjectNode parent, String field, Consumer<ObjectNode> action) {
        if (parent.get(field) instanceof ObjectNode object) {
            action.accept(object);
        }
    }

    /** Runs an action on each object in the list, if there is one. */
    static void withEach(ObjectNode parent, String list, Consumer<ObjectNode> action) {
        JsonNode elements = parent.get(list);
        if (elements != null && elements.isArray()) {
            for (JsonNode element : elements) {
                if (element instanceof ObjectNode object) {
                    action.accept(object);
                }
            }
        }
    }

    static boolean lacks(ObjectNode parent, String field) {
        return !parent.hasNonNull(field);
    }

    /** Sets a number if it is missing. */
    static void number(ObjectNode parent, String field, long value) {
        if (lacks(parent, field)) {
            parent.put(field, value);
        }
    }

    /** Sets a number if it is missing or 0. */
    static void nonZero(ObjectNode parent, String field, long value) {
        JsonNode now = parent.get(field);
        if (now == null || now.isNull() || (now.isNumber() && now.longValue() == 0)) {
            parent.put(field, value);
        }
    }

    /** Sets a string if it is missing; an empty one is kept. */
    static void text(ObjectNode parent, String field, String value) {
        if (lacks(parent, field)) {
            parent.put(field, value);
        }
    }
}
