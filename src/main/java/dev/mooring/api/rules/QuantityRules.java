package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.mooring.api.kind.Violations;
import dev.mooring.model.Quantity;

/** What quantities in objects may be. The schema has seen that they are quantities at all. Stateless; any thread. */
public final class QuantityRules {
    private QuantityRules() {}

    /** The quantity a text or a number says; nothing is 0, as in Kubernetes. */
    public static Quantity read(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return Quantity.ZERO;
        }
        return Quantity.parse(value.isTextual() ? value.textValue().trim() : value.asText());
    }

    public static void positive(JsonNode value, String path, Violations violations) {
        Quantity quantity = read(value);
        if (quantity.signum() <= 0) {
            violations.invalid(path, quantity.canonical(), "must be greater than zero");
        }
    }

    public static void notNegative(JsonNode value, String path, Violations violations) {
        Quantity quantity = read(value);
        if (quantity.signum() < 0) {
            violations.invalid(path, quantity.canonical(), "must be greater than or equal to 0");
        }
    }

    /** A capacity: whatever it is of, there is no less than none. */
    public static void capacity(JsonNode capacity, String path, Violations violations) {
        for (var each : capacity.properties()) {
            long value = read(each.getValue()).value();
            if (value < 0) {
                violations.invalid(
                        path + '[' + each.getKey() + ']', LongNode.valueOf(value), "must be a valid resource quantity");
            }
        }
    }

    /** Whether two maps of quantities say the same: {@code 1Gi} is {@code 1024Mi}. */
    public static boolean same(JsonNode one, JsonNode other) {
        return covers(one, other) && covers(other, one);
    }

    private static boolean covers(JsonNode one, JsonNode other) {
        for (var each : one.properties()) {
            if (!other.has(each.getKey()) || !read(each.getValue()).equals(read(other.get(each.getKey())))) {
                return false;
            }
        }
        return true;
    }
}
