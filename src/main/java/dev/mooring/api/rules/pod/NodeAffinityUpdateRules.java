package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.rules.JsonFields;

/** Rules of node affinity updates: a Pod with scheduling gates may only make its node affinity stricter. Stateless. */
final class NodeAffinityUpdateRules {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String TERMS = "nodeSelectorTerms";

    private NodeAffinityUpdateRules() {}

    /**
     * Adds an error for each change that does not make the affinity stricter.
     *
     * @return whether only the node affinity changed
     */
    static boolean check(FieldCursor affinity, JsonNode then) {
        if (!same("podAffinity", affinity, then) || !same("podAntiAffinity", affinity, then)) {
            return false;
        }
        JsonNode old = JsonFields.get(JsonFields.get(then, "nodeAffinity", REQUIRED), TERMS);
        FieldCursor terms = affinity.at("nodeAffinity").at(REQUIRED).at(TERMS);
        if (old.isEmpty()) {
            return true;
        }
        if (old.size() != terms.value().size()) {
            terms.invalid("no additions/deletions to non-empty NodeSelectorTerms list are allowed");
            return true;
        }
        for (int i = 0; i < old.size(); i++) {
            if (!onlyAdds(terms.at(i).value(), old.get(i))) {
                terms.at(i).invalid("only additions are allowed (no mutations or deletions)");
            }
        }
        return true;
    }

    private static boolean same(String field, FieldCursor affinity, JsonNode then) {
        return SpecEquality.same(field, affinity.at(field).value(), JsonFields.get(then, field));
    }

    private static boolean onlyAdds(JsonNode now, JsonNode then) {
        JsonNode expressions = JsonFields.get(then, "matchExpressions");
        JsonNode fields = JsonFields.get(then, "matchFields");
        if (expressions.isEmpty() && fields.isEmpty()) {
            // A term without conditions selects nothing; adding one would make it select something.
            return JsonFields.get(now, "matchExpressions").isEmpty()
                    && JsonFields.get(now, "matchFields").isEmpty();
        }
        return startsWith(JsonFields.get(now, "matchExpressions"), expressions)
                && startsWith(JsonFields.get(now, "matchFields"), fields);
    }

    private static boolean startsWith(JsonNode now, JsonNode then) {
        for (int i = 0; i < then.size(); i++) {
            if (i >= now.size() || !SpecEquality.same("", now.get(i), then.get(i))) {
                return false;
            }
        }
        return true;
    }
}
