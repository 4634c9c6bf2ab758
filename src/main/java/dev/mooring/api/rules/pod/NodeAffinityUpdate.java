package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.rules.Fields;

/** A Pod held back by scheduling gates may still become choosier about its nodes. Stateless. */
final class NodeAffinityUpdate {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String TERMS = "nodeSelectorTerms";

    private NodeAffinityUpdate() {}

    /**
     * Says in which way it does not become choosier.
     *
     * @return whether only the choice of nodes changed
     */
    static boolean check(Spot affinity, JsonNode then) {
        if (!same("podAffinity", affinity, then) || !same("podAntiAffinity", affinity, then)) {
            return false;
        }
        JsonNode old = Fields.get(Fields.get(then, "nodeAffinity", REQUIRED), TERMS);
        Spot terms = affinity.at("nodeAffinity").at(REQUIRED).at(TERMS);
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

    private static boolean same(String field, Spot affinity, JsonNode then) {
        return Sameness.same(field, affinity.at(field).value(), Fields.get(then, field));
    }

    private static boolean onlyAdds(JsonNode now, JsonNode then) {
        JsonNode expressions = Fields.get(then, "matchExpressions");
        JsonNode fields = Fields.get(then, "matchFields");
        if (expressions.isEmpty() && fields.isEmpty()) {
            // A term without conditions selects nothing: with one it would select something.
            return Fields.get(now, "matchExpressions").isEmpty()
                    && Fields.get(now, "matchFields").isEmpty();
        }
        return startsWith(Fields.get(now, "matchExpressions"), expressions)
                && startsWith(Fields.get(now, "matchFields"), fields);
    }

    private static boolean startsWith(JsonNode now, JsonNode then) {
        for (int i = 0; i < then.size(); i++) {
            if (i >= now.size() || !Sameness.same("", now.get(i), then.get(i))) {
                return false;
            }
        }
        return true;
    }
}
