package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * Node labels that were renamed at the end of their beta: the only permitted change of a volume's node affinity.
 * Stateless.
 */
final class BetaTopology {
    private static final Map<String, String> RENAMED = Map.of(
            "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region",
            "beta.kubernetes.io/os", "kubernetes.io/os",
            "beta.kubernetes.io/arch", "kubernetes.io/arch",
            "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type");

    private BetaTopology() {}

    /** Returns whether two node affinities are equal, or differ only by such renamed labels. */
    static boolean sameOrUpgraded(JsonNode now, JsonNode was) {
        return JsonFields.same(now, was)
                || (JsonFields.has(now, "required") && JsonFields.same(now, upgraded(now, was)));
    }

    private static JsonNode upgraded(JsonNode now, JsonNode was) {
        JsonNode upgraded = was.deepCopy();
        JsonNode terms = JsonFields.get(upgraded, "required", "nodeSelectorTerms");
        JsonNode newTerms = JsonFields.get(now, "required", "nodeSelectorTerms");
        for (int i = 0; i < terms.size() && i < newTerms.size(); i++) {
            JsonNode expressions = JsonFields.get(terms.get(i), "matchExpressions");
            JsonNode newExpressions = JsonFields.get(newTerms.get(i), "matchExpressions");
            for (int j = 0; j < expressions.size() && j < newExpressions.size(); j++) {
                String renamed = RENAMED.get(JsonFields.text(expressions.get(j), "key"));
                boolean wanted = renamed != null && renamed.equals(JsonFields.text(newExpressions.get(j), "key"));
                if (wanted && expressions.get(j) instanceof ObjectNode expression) {
                    expression.put("key", renamed);
                }
            }
        }
        return upgraded;
    }
}
