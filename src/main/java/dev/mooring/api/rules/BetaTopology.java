package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** The labels of nodes that were renamed when they left beta: the one change a volume's choice of nodes may undergo. Stateless. */
final class BetaTopology {
    private static final Map<String, String> RENAMED = Map.of(
            "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region",
            "beta.kubernetes.io/os", "kubernetes.io/os",
            "beta.kubernetes.io/arch", "kubernetes.io/arch",
            "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type");

    private BetaTopology() {}

    /** Whether two node affinities are the same, or only such labels of the former have got their new names. */
    static boolean sameOrUpgraded(JsonNode now, JsonNode was) {
        return Fields.same(now, was) || (Fields.has(now, "required") && Fields.same(now, upgraded(now, was)));
    }

    private static JsonNode upgraded(JsonNode now, JsonNode was) {
        JsonNode upgraded = was.deepCopy();
        JsonNode terms = Fields.get(upgraded, "required", "nodeSelectorTerms");
        JsonNode newTerms = Fields.get(now, "required", "nodeSelectorTerms");
        for (int i = 0; i < terms.size() && i < newTerms.size(); i++) {
            JsonNode expressions = Fields.get(terms.get(i), "matchExpressions");
            JsonNode newExpressions = Fields.get(newTerms.get(i), "matchExpressions");
            for (int j = 0; j < expressions.size() && j < newExpressions.size(); j++) {
                String renamed = RENAMED.get(Fields.text(expressions.get(j), "key"));
                boolean wanted = renamed != null && renamed.equals(Fields.text(newExpressions.get(j), "key"));
                if (wanted && expressions.get(j) instanceof ObjectNode expression) {
                    expression.put("key", renamed);
                }
            }
        }
        return upgraded;
    }
}
