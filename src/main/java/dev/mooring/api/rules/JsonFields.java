package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;

/**
 * Reads fields as Kubernetes does: {@code null} counts as absent, and so does an empty string unless stated otherwise.
 * Stateless; thread-safe.
 */
public final class JsonFields {
    private JsonFields() {}

    /** Returns the field, or a missing node if it is absent or {@code null}. */
    public static JsonNode get(JsonNode node, String field) {
        JsonNode value = node.get(field);
        return value == null || value.isNull() ? MissingNode.getInstance() : value;
    }

    public static JsonNode get(JsonNode node, String first, String second) {
        return get(get(node, first), second);
    }

    /** Returns whether the field is present and not {@code null}. */
    public static boolean has(JsonNode node, String field) {
        return !get(node, field).isMissingNode();
    }

    /** Returns the string, or an empty one. */
    public static String text(JsonNode node, String field) {
        JsonNode value = get(node, field);
        return value.isTextual() ? value.textValue() : "";
    }

    public static String text(JsonNode node, String first, String second) {
        return text(get(node, first), second);
    }

    public static boolean isTrue(JsonNode node, String field) {
        return get(node, field).asBoolean(false);
    }

    /** Returns the object in the field; adds one if there is none. */
    public static ObjectNode object(ObjectNode parent, String field) {
        JsonNode value = parent.get(field);
        return value instanceof ObjectNode object ? object : parent.putObject(field);
    }

    /** Sets a string if it is missing or empty. */
    public static void defaultText(ObjectNode parent, String field, String value) {
        JsonNode now = parent.get(field);
        if (now == null || now.isNull() || (now.isTextual() && now.textValue().isEmpty())) {
            parent.put(field, value);
        }
    }

    /** Copies a field from another object; removes it if the other has none. */
    public static void takeFrom(ObjectNode from, String field, ObjectNode to) {
        JsonNode value = get(from, field);
        if (value.isMissingNode()) {
            to.remove(field);
        } else {
            to.set(field, value.deepCopy());
        }
    }

    /** Returns the length of the text in UTF-8. */
    public static int bytes(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return text.getBytes(StandardCharsets.UTF_8).length;
            }
        }
        return text.length();
    }

    /**
     * Returns whether two values are equal. Values that Kubernetes does not store count as absent: {@code null}, empty
     * strings, lists and objects, {@code false} and 0.
     */
    public static boolean same(JsonNode one, JsonNode other) {
        if (isNothing(one) || isNothing(other)) {
            return isNothing(one) && isNothing(other);
        }
        if (one.isObject() && other.isObject()) {
            return sameFields(one, other) && sameFields(other, one);
        }
        if (one.isArray() && other.isArray()) {
            return sameElements(one, other);
        }
        boolean numbers = one.isNumber() && other.isNumber();
        return numbers ? sameNumber(one, other) : one.equals(other);
    }

    private static boolean sameFields(JsonNode one, JsonNode other) {
        for (var field : one.properties()) {
            if (!same(field.getValue(), get(other, field.getKey()))) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameElements(JsonNode one, JsonNode other) {
        if (one.size() != other.size()) {
            return false;
        }
        for (int i = 0; i < one.size(); i++) {
            if (!same(one.get(i), other.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameNumber(JsonNode one, JsonNode other) {
        boolean whole = one.isIntegralNumber() && other.isIntegralNumber();
        return whole ? one.longValue() == other.longValue() : one.decimalValue().compareTo(other.decimalValue()) == 0;
    }

    private static boolean isNothing(JsonNode value) {
        if (value.isContainerNode()) {
            for (JsonNode part : value) {
                if (value.isArray() || !isNothing(part)) {
                    return false;
                }
            }
            return true;
        }
        return value.isMissingNode()
                || value.isNull()
                || (value.isTextual() && value.textValue().isEmpty())
                || (value.isBoolean() && !value.booleanValue())
                || (value.isNumber() && value.decimalValue().signum() == 0);
    }

    /** Returns the value to show in a message, or {@code null}. */
    public static JsonNode valueOrNull(JsonNode value) {
        return value.isMissingNode() ? JsonNodeFactory.instance.nullNode() : value;
    }
}
