package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.api.rules.NodeAffinityRules;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rules of scheduling fields: affinity, tolerations, gates and so on. Stateless. */
final class SchedulingRules {
    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final List<String> OPERATORS = List.of("Equal", "Exists");
    private static final List<String> UNSATISFIABLE = List.of("DoNotSchedule", "ScheduleAnyway");
    private static final List<String> NODE_POLICIES = List.of("Honor", "Ignore");
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    private SchedulingRules() {}

    static void checkAffinity(FieldCursor affinity) {
        FieldCursor nodes = affinity.at("nodeAffinity");
        if (nodes.present()) {
            NodeAffinityRules.ofPod(nodes.value(), nodes.path(), nodes.violations());
        }
        pods(affinity.at("podAffinity"));
        pods(affinity.at("podAntiAffinity"));
    }

    private static void pods(FieldCursor affinity) {
        affinity.each(REQUIRED).forEach(SchedulingRules::podTerm);
        for (FieldCursor weighted : affinity.each(PREFERRED)) {
            FieldCursor weight = weighted.at("weight");
            if (weight.number() <= 0 || weight.number() > 100) {
                weight.invalid("must be in the range 1-100");
            }
            podTerm(weighted.at("podAffinityTerm"));
        }
    }

    private static void podTerm(FieldCursor term) {
        NameValidation.labelSelector(term.at("labelSelector"));
        NameValidation.labelSelector(term.at("namespaceSelector"));
        for (FieldCursor namespace : term.each("namespaces")) {
            NameValidation.label(namespace.reportedAt(term.at("namespace")));
        }
        labelKeys(term, "matchLabelKeys");
        labelKeys(term, "mismatchLabelKeys");
        Set<String> mismatched = new HashSet<>();
        term.each("mismatchLabelKeys").forEach(key -> mismatched.add(key.text()));
        for (FieldCursor key : term.each("matchLabelKeys")) {
            if (mismatched.contains(key.text())) {
                key.invalid("exists in both matchLabelKeys and mismatchLabelKeys");
            }
        }
        FieldCursor topology = term.at("topologyKey");
        if (topology.text().isEmpty()) {
            topology.required("can not be empty");
        }
        NameValidation.qualifiedName(topology);
    }

    private static void labelKeys(FieldCursor term, String field) {
        if (term.size(field) == 0) {
            return;
        }
        if (!term.has("labelSelector")) {
            term.at(field).forbidden("must not be specified when labelSelector is not set");
            return;
        }
        term.each(field).forEach(NameValidation::qualifiedName);
    }

    static void checkSpread(FieldCursor constraints) {
        List<FieldCursor> all = constraints.each();
        for (int i = 0; i < all.size(); i++) {
            FieldCursor constraint = all.get(i);
            NumberRules.positive(constraint.at("maxSkew"));
            if (constraint.text("topologyKey").isEmpty()) {
                constraint.at("topologyKey").required("can not be empty");
            }
            FieldCursor action = constraint.at("whenUnsatisfiable");
            if (!UNSATISFIABLE.contains(action.text())) {
                action.notSupported(UNSATISFIABLE);
            }
            notRepeated(constraint, all.subList(i + 1, all.size()));
            FieldCursor domains = constraint.at("minDomains");
            if (domains.present()) {
                NumberRules.positive(domains);
                if (!action.text().equals("DoNotSchedule")) {
                    domains.invalid("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action.text());
                }
            }
            nodePolicy(constraint.at("nodeAffinityPolicy"));
            nodePolicy(constraint.at("nodeTaintsPolicy"));
            labelKeys(constraint, "matchLabelKeys");
            NameValidation.labelSelector(constraint.at("labelSelector"));
        }
    }

    private static void notRepeated(FieldCursor constraint, List<FieldCursor> rest) {
        String key = constraint.text("topologyKey");
        String action = constraint.text("whenUnsatisfiable");
        for (FieldCursor other : rest) {
            if (other.text("topologyKey").equals(key)
                    && other.text("whenUnsatisfiable").equals(action)) {
                constraint
                        .at("{topologyKey, whenUnsatisfiable}")
                        .duplicate(TextNode.valueOf('{' + key + ", " + action + '}'));
                return;
            }
        }
    }

    private static void nodePolicy(FieldCursor policy) {
        if (policy.present() && !NODE_POLICIES.contains(policy.text())) {
            policy.notSupported(NODE_POLICIES);
        }
    }

    static void checkTolerations(FieldCursor tolerations) {
        for (FieldCursor toleration : tolerations.each()) {
            FieldCursor key = toleration.at("key");
            FieldCursor operator = toleration.at("operator");
            FieldCursor effect = toleration.at("effect");
            if (!key.text().isEmpty()) {
                NameValidation.qualifiedName(key);
            } else if (!operator.text().equals("Exists")) {
                operator.invalid(
                        operator.text(),
                        "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
            }
            if (toleration.has("tolerationSeconds") && !effect.text().equals("NoExecute")) {
                effect.invalid(effect.text(), "effect must be 'NoExecute' when `tolerationSeconds` is set");
            }
            operator(operator, toleration.text("value"));
            if (!effect.text().isEmpty() && !EFFECTS.contains(effect.text())) {
                effect.notSupported(EFFECTS);
            }
        }
    }

    private static void operator(FieldCursor operator, String value) {
        switch (operator.text()) {
            case "Equal", "" -> {
                List<String> problems = NameValidation.problemsOfLabelValue(value);
                if (!problems.isEmpty()) {
                    operator.invalid(value, String.join(";", problems));
                }
            }
            case "Exists" -> {
                if (!value.isEmpty()) {
                    operator.invalid(value, "value must be empty when `operator` is 'Exists'");
                }
            }
            default -> operator.notSupported(OPERATORS);
        }
    }

    static void checkReadinessGates(FieldCursor gates) {
        gates.each().forEach(gate -> NameValidation.qualifiedName(gate.at("conditionType")));
    }

    static void checkSchedulingGates(FieldCursor gates) {
        Set<String> seen = new HashSet<>();
        for (FieldCursor gate : gates.each()) {
            NameValidation.qualifiedName(gate, gate.text("name"));
            if (!seen.add(gate.text("name"))) {
                gate.duplicate(TextNode.valueOf(gate.text("name")));
            }
        }
    }
}
