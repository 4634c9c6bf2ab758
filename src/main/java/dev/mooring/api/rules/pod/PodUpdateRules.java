package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.rules.JsonFields;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rules of Pod updates: nearly everything is immutable, since the containers are running. Binding sets
 * {@code spec.nodeName}, once. Stateless.
 */
final class PodUpdateRules {
    private static final String REFUSAL = "pod updates may not change fields other than `spec.containers[*].image`,"
            + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
            + "`spec.tolerations` (only additions to existing tolerations),"
            + "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
    private static final List<String> CHECKED_SEPARATELY =
            List.of("activeDeadlineSeconds", "tolerations", "schedulingGates");

    private PodUpdateRules() {}

    static void check(FieldCursor next, JsonNode before) {
        FieldCursor spec = next.at("spec");
        JsonNode old = JsonFields.get(before, "spec");
        if (!checkContainers(spec.at("containers"), JsonFields.get(old, "containers"))
                || !checkContainers(spec.at("initContainers"), JsonFields.get(old, "initContainers"))
                || !checkDeadline(spec.at("activeDeadlineSeconds"), JsonFields.get(old, "activeDeadlineSeconds"))) {
            return;
        }
        checkTolerations(spec.at("tolerations"), JsonFields.get(old, "tolerations"));
        checkGates(spec.at("schedulingGates"), JsonFields.get(old, "schedulingGates"));
        checkRest(spec, old);
    }

    /** Validates an update of ephemeral containers: existing ones are immutable, new ones may be added. */
    static void checkEphemeral(FieldCursor next, JsonNode before) {
        FieldCursor list = next.at("spec").at("ephemeralContainers");
        for (JsonNode old : JsonFields.get(before, "spec", "ephemeralContainers")) {
            String name = JsonFields.text(old, "name");
            JsonNode found = null;
            for (FieldCursor container : list.each()) {
                found = container.text("name").equals(name) ? container.value() : found;
            }
            if (found == null) {
                list.forbidden("existing ephemeral containers \"" + name + "\" may not be removed\n");
            } else if (!SpecEquality.same("ephemeralContainers", found, old)) {
                list.forbidden("existing ephemeral containers \"" + name + "\" may not be changed\n");
            }
        }
    }

    private static boolean checkContainers(FieldCursor containers, JsonNode old) {
        if (containers.value().size() != old.size()) {
            containers.forbidden("pod updates may not add or remove containers");
            return false;
        }
        // Other rules require an image, without surrounding spaces.
        return true;
    }

    private static boolean checkDeadline(FieldCursor deadline, JsonNode old) {
        if (deadline.present()) {
            if (deadline.number() < 0 || deadline.number() > Integer.MAX_VALUE) {
                NumberRules.inclusive(deadline, 0, Integer.MAX_VALUE);
                return false;
            }
            if (old.isNumber() && old.longValue() < deadline.number()) {
                deadline.invalid("must be less than or equal to previous value");
                return false;
            }
        } else if (old.isNumber()) {
            deadline.invalid("must not update from a positive integer to nil value");
        }
        return true;
    }

    private static void checkTolerations(FieldCursor tolerations, JsonNode old) {
        for (JsonNode each : old) {
            boolean kept = false;
            for (JsonNode now : tolerations.value()) {
                kept |= sameBut("tolerationSeconds", each, now);
            }
            if (!kept) {
                tolerations.forbidden("existing toleration can not be modified except its tolerationSeconds");
                return;
            }
        }
    }

    private static boolean sameBut(String exception, JsonNode one, JsonNode other) {
        for (String field : fields(one, other)) {
            if (!field.equals(exception)
                    && !SpecEquality.same(field, JsonFields.get(one, field), JsonFields.get(other, field))) {
                return false;
            }
        }
        return true;
    }

    private static Set<String> fields(JsonNode one, JsonNode other) {
        Set<String> names = new HashSet<>();
        one.fieldNames().forEachRemaining(names::add);
        other.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static void checkGates(FieldCursor gates, JsonNode old) {
        Set<String> known = new HashSet<>();
        old.forEach(gate -> known.add(JsonFields.text(gate, "name")));
        for (FieldCursor gate : gates.each()) {
            String name = gate.text("name");
            if (!known.contains(name)) {
                gate.at("name").forbidden("only deletion is allowed, but found new scheduling gate '" + name + "'");
            }
        }
    }

    private static void checkRest(FieldCursor spec, JsonNode old) {
        boolean gated = !JsonFields.get(old, "schedulingGates").isEmpty();
        boolean same = true;
        for (String field : fields(spec.value(), old)) {
            JsonNode then = JsonFields.get(old, field);
            FieldCursor now = spec.at(field);
            if (CHECKED_SEPARATELY.contains(field) || SpecEquality.same(field, now.value(), then)) {
                continue;
            }
            same &= switch (field) {
                case "containers", "initContainers" -> onlyImages(now.value(), then);
                case "terminationGracePeriodSeconds" -> then.longValue() < 0 && now.number() == 1;
                case "nodeName" -> isBinding(now, then, spec);
                case "nodeSelector" -> gated && onlyMoreLabels(now, then);
                case "affinity" -> gated && NodeAffinityUpdateRules.check(now, then);
                default -> false;
            };
        }
        if (!same) {
            spec.forbidden(REFUSAL);
        }
    }

    private static boolean onlyImages(JsonNode now, JsonNode then) {
        for (int i = 0; i < now.size(); i++) {
            if (!sameBut("image", now.get(i), then.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBinding(FieldCursor node, JsonNode then, FieldCursor spec) {
        if (!then.asText("").isEmpty() || node.text().isEmpty()) {
            return false;
        }
        if (spec.size("schedulingGates") > 0) {
            node.forbidden("cannot be set until all schedulingGates have been cleared");
        }
        return true;
    }

    private static boolean onlyMoreLabels(FieldCursor selector, JsonNode then) {
        for (var label : then.properties()) {
            if (!label.getValue().equals(selector.value().path(label.getKey()))) {
                selector.invalid("only additions to spec.nodeSelector are allowed (no mutations or deletions)");
                return true;
            }
        }
        return true;
    }

    /**
     * Rules of node affinity updates: a Pod with scheduling gates may only make its node affinity stricter. Stateless.
     */
    private static final class NodeAffinityUpdateRules {
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
}
