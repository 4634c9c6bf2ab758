package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;

/** Steps through trees that are being filled in. What is not of the type one would expect is passed over. Stateless. */
final class Trees {
    private Trees() {}

    /** Does it with the object in the field, if there is one. */
    static void with(ObjectNode parent, String field, Consumer<ObjectNode> action) {
        if (parent.get(field) instanceof ObjectNode object) {
            action.accept(object);
        }
    }

    /** Does it with each object in the list, if there is one. */
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

    /** Sets a number where there is none. */
    static void number(ObjectNode parent, String field, long value) {
        if (lacks(parent, field)) {
            parent.put(field, value);
        }
    }

    /** Sets a number where there is none or 0. */
    static void nonZero(ObjectNode parent, String field, long value) {
        JsonNode now = parent.get(field);
        if (now == null || now.isNull() || (now.isNumber() && now.longValue() == 0)) {
            parent.put(field, value);
        }
    }

    /** Sets a text where there is none; an empty one is one. */
    static void text(ObjectNode parent, String field, String value) {
        if (lacks(parent, field)) {
            parent.put(field, value);
        }
    }
}
