package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.api.rules.NodeAffinityRules;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** On which nodes a Pod may or should run, and from when on. Stateless. */
final class Scheduling {
    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final List<String> OPERATORS = List.of("Equal", "Exists");
    private static final List<String> UNSATISFIABLE = List.of("DoNotSchedule", "ScheduleAnyway");
    private static final List<String> NODE_POLICIES = List.of("Honor", "Ignore");
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

    private Scheduling() {}

    static void checkAffinity(Spot affinity) {
        Spot nodes = affinity.at("nodeAffinity");
        if (nodes.present()) {
            NodeAffinityRules.ofPod(nodes.value(), nodes.path(), nodes.violations());
        }
        pods(affinity.at("podAffinity"));
        pods(affinity.at("podAntiAffinity"));
    }

    private static void pods(Spot affinity) {
        affinity.each(REQUIRED).forEach(Scheduling::podTerm);
        for (Spot weighted : affinity.each(PREFERRED)) {
            Spot weight = weighted.at("weight");
            if (weight.number() <= 0 || weight.number() > 100) {
                weight.invalid("must be in the range 1-100");
            }
            podTerm(weighted.at("podAffinityTerm"));
        }
    }

    private static void podTerm(Spot term) {
        Spelled.labelSelector(term.at("labelSelector"));
        Spelled.labelSelector(term.at("namespaceSelector"));
        for (Spot namespace : term.each("namespaces")) {
            Spelled.label(namespace.reportedAt(term.at("namespace")));
        }
        labelKeys(term, "matchLabelKeys");
        labelKeys(term, "mismatchLabelKeys");
        Set<String> mismatched = new HashSet<>();
        term.each("mismatchLabelKeys").forEach(key -> mismatched.add(key.text()));
        for (Spot key : term.each("matchLabelKeys")) {
            if (mismatched.contains(key.text())) {
                key.invalid("exists in both matchLabelKeys and mismatchLabelKeys");
            }
        }
        Spot topology = term.at("topologyKey");
        if (topology.text().isEmpty()) {
            topology.required("can not be empty");
        }
        Spelled.qualifiedName(topology);
    }

    private static void labelKeys(Spot term, String field) {
        if (term.size(field) == 0) {
            return;
        }
        if (!term.has("labelSelector")) {
            term.at(field).forbidden("must not be specified when labelSelector is not set");
            return;
        }
        term.each(field).forEach(Spelled::qualifiedName);
    }

    static void checkSpread(Spot constraints) {
        List<Spot> all = constraints.each();
        for (int i = 0; i < all.size(); i++) {
            Spot constraint = all.get(i);
            Ranges.positive(constraint.at("maxSkew"));
            if (constraint.text("topologyKey").isEmpty()) {
                constraint.at("topologyKey").required("can not be empty");
            }
            Spot action = constraint.at("whenUnsatisfiable");
            if (!UNSATISFIABLE.contains(action.text())) {
                action.notSupported(UNSATISFIABLE);
            }
            notRepeated(constraint, all.subList(i + 1, all.size()));
            Spot domains = constraint.at("minDomains");
            if (domains.present()) {
                Ranges.positive(domains);
                if (!action.text().equals("DoNotSchedule")) {
                    domains.invalid("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action.text());
                }
            }
            nodePolicy(constraint.at("nodeAffinityPolicy"));
            nodePolicy(constraint.at("nodeTaintsPolicy"));
            labelKeys(constraint, "matchLabelKeys");
            Spelled.labelSelector(constraint.at("labelSelector"));
        }
    }

    private static void notRepeated(Spot constraint, List<Spot> rest) {
        String key = constraint.text("topologyKey");
        String action = constraint.text("whenUnsatisfiable");
        for (Spot other : rest) {
            if (other.text("topologyKey").equals(key)
                    && other.text("whenUnsatisfiable").equals(action)) {
                constraint
                        .at("{topologyKey, whenUnsatisfiable}")
                        .duplicate(TextNode.valueOf('{' + key + ", " + action + '}'));
                return;
            }
        }
    }

    private static void nodePolicy(Spot policy) {
        if (policy.present() && !NODE_POLICIES.contains(policy.text())) {
            policy.notSupported(NODE_POLICIES);
        }
    }

    static void checkTolerations(Spot tolerations) {
        for (Spot toleration : tolerations.each()) {
            Spot key = toleration.at("key");
            Spot operator = toleration.at("operator");
            Spot effect = toleration.at("effect");
            if (!key.text().isEmpty()) {
                Spelled.qualifiedName(key);
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

    private static void operator(Spot operator, String value) {
        switch (operator.text()) {
            case "Equal", "" -> {
                List<String> problems = Spelled.problemsOfLabelValue(value);
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

    static void checkReadinessGates(Spot gates) {
        gates.each().forEach(gate -> Spelled.qualifiedName(gate.at("conditionType")));
    }

    static void checkSchedulingGates(Spot gates) {
        Set<String> seen = new HashSet<>();
        for (Spot gate : gates.each()) {
            Spelled.qualifiedName(gate, gate.text("name"));
            if (!seen.add(gate.text("name"))) {
                gate.duplicate(TextNode.valueOf(gate.text("name")));
            }
        }
    }
}
