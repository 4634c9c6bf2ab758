package dev.mooring.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** Compares JSON values: numbers by value regardless of notation, objects regardless of field order. Pure. */
public final class JsonValues {
    /** Placeholder for a present but empty object. Must not be modified. */
    public static final ObjectNode EMPTY_OBJECT = JsonNodeFactory.instance.objectNode();

    private JsonValues() {}

    public static boolean areEqual(JsonNode left, JsonNode right) {
        if (left.isNumber() && right.isNumber()) {
            boolean whole = isLong(left) && isLong(right);
            if (!whole && !(Double.isFinite(left.doubleValue()) && Double.isFinite(right.doubleValue()))) {
                return left.equals(right);
            }
            return whole
                    ? left.longValue() == right.longValue()
                    : left.decimalValue().compareTo(right.decimalValue()) == 0;
        }
        if (left.getNodeType() != right.getNodeType() || left.size() != right.size()) {
            return false;
        }
        if (left.isObject()) {
            return sameFields(left, right);
        }
        if (left.isArray()) {
            for (int i = 0; i < left.size(); i++) {
                if (!areEqual(left.get(i), right.get(i))) {
                    return false;
                }
            }
            return true;
        }
        return left.equals(right);
    }

    private static boolean isLong(JsonNode number) {
        return number.isIntegralNumber() && number.canConvertToLong();
    }

    /**
     * Returns whether both are the same instance; states of an object often share subtrees, which need no comparison.
     */
    @SuppressWarnings("ReferenceEquality")
    public static boolean areSameInstance(JsonNode left, JsonNode right) {
        return left == right;
    }

    private static boolean sameFields(JsonNode left, JsonNode right) {
        for (Map.Entry<String, JsonNode> field : left.properties()) {
            JsonNode other = right.get(field.getKey());
            if (other == null || !areEqual(field.getValue(), other)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a value is missing or null. */
    public static boolean isAbsent(JsonNode value) {
        return value == null || value.isNull();
    }

    public static boolean isEmpty(JsonNode container) {
        return isAbsent(container) || container.isEmpty();
    }
}
