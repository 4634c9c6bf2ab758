package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.mooring.model.Quantity;

/** Rules of quantities, whose syntax the schema check has already validated. Stateless; thread-safe. */
public final class QuantityRules {
    private QuantityRules() {}

    /** Parses a string or number; a missing value is 0, as in Kubernetes. */
    public static Quantity parse(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return Quantity.ZERO;
        }
        return Quantity.parse(value.isTextual() ? value.textValue().trim() : value.asText());
    }

    public static void positive(JsonNode value, String path, Violations violations) {
        Quantity quantity = parse(value);
        if (quantity.signum() <= 0) {
            violations.invalid(path, quantity.canonical(), "must be greater than zero");
        }
    }

    public static void notNegative(JsonNode value, String path, Violations violations) {
        Quantity quantity = parse(value);
        if (quantity.signum() < 0) {
            violations.invalid(path, quantity.canonical(), "must be greater than or equal to 0");
        }
    }

    /** Validates a capacity: no negative values. */
    public static void capacity(JsonNode capacity, String path, Violations violations) {
        for (var each : capacity.properties()) {
            long value = parse(each.getValue()).value();
            if (value < 0) {
                violations.invalid(
                        path + '[' + each.getKey() + ']', LongNode.valueOf(value), "must be a valid resource quantity");
            }
        }
    }

    /** Returns whether two maps of quantities are equal: {@code 1Gi} is {@code 1024Mi}. */
    public static boolean same(JsonNode one, JsonNode other) {
        return covers(one, other) && covers(other, one);
    }

    private static boolean covers(JsonNode one, JsonNode other) {
        for (var each : one.properties()) {
            if (!other.has(each.getKey()) || !parse(each.getValue()).equals(parse(other.get(each.getKey())))) {
                return false;
            }
        }
        return true;
    }
}
