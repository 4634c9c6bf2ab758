package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Rules of PriorityClasses, with Kubernetes' messages. Stateless; thread-safe. */
public final class PriorityClassRules implements Rules {
    private static final long MAX_VALUE = 1_000_000_000;
    private static final String SYSTEM_PREFIX = "system-";
    private static final String POLICY = "preemptionPolicy";
    private static final List<String> POLICIES = List.of("PreemptLowerPriority", "Never");

    @Override
    public void applyDefaults(ObjectNode object) {
        JsonFields.defaultText(object, POLICY, POLICIES.get(0));
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        String name = JsonFields.text(object, "metadata", "name");
        if (name.startsWith(SYSTEM_PREFIX)) {
            violations.forbidden(
                    "metadata.name", "priority class names with 'system-' prefix are reserved for system use only");
        }
        if (JsonFields.get(object, "value").asLong(0) > MAX_VALUE) {
            violations.forbidden("value", "maximum allowed value of a user defined priority is " + MAX_VALUE);
        }
        String policy = JsonFields.text(object, POLICY);
        if (!policy.isEmpty() && !POLICIES.contains(policy)) {
            violations.notSupported(POLICY, policy, List.of("Never", "PreemptLowerPriority"));
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        if (JsonFields.get(next, "value").asLong(0)
                != JsonFields.get(before, "value").asLong(0)) {
            violations.invalid("value", JsonFields.get(next, "value"), "field is immutable");
        }
        if (!JsonFields.text(next, POLICY).equals(JsonFields.text(before, POLICY))) {
            violations.invalid(POLICY, JsonFields.text(next, POLICY), "field is immutable");
        }
    }
}
