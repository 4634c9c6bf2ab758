package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** When two values are the same: numbers by size, however they were written; objects whatever the order of their fields. */
final class Values {
    /** Stands for a part that is there and says nothing. Never handed out. */
    static final ObjectNode NOTHING = JsonNodeFactory.instance.objectNode();

    private Values() {}

    static boolean same(JsonNode left, JsonNode right) {
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
                if (!same(left.get(i), right.get(i))) {
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

    /** States of an object often share parts; those need not be looked at. */
    @SuppressWarnings("ReferenceEquality")
    static boolean shared(JsonNode left, JsonNode right) {
        return left == right;
    }

    private static boolean sameFields(JsonNode left, JsonNode right) {
        for (Map.Entry<String, JsonNode> field : left.properties()) {
            JsonNode other = right.get(field.getKey());
            if (other == null || !same(field.getValue(), other)) {
                return false;
            }
        }
        return true;
    }

    /** Neither there nor said to be null. */
    static boolean isAbsent(JsonNode value) {
        return value == null || value.isNull();
    }

    static boolean isEmpty(JsonNode container) {
        return isAbsent(container) || container.isEmpty();
    }
}
