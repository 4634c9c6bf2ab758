package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rules of Nodes. A node registers itself with its status, so a create may set it. Stateless; thread-safe. */
public final class NodeRules extends StatusSubresourceRules {
    private static final Set<String> EFFECTS = Set.of("NoSchedule", "PreferNoSchedule", "NoExecute");
    private static final Set<String> CHANGEABLE =
            Set.of("taints", "unschedulable", "podCIDR", "podCIDRs", "providerID", "configSource", "externalID");

    @Override
    public void prepareForCreate(ObjectNode object) {
        // Keeps the status.
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode taints = JsonFields.get(object, "spec", "taints");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < taints.size(); i++) {
            JsonNode taint = taints.get(i);
            validateTaint(taint, "metadata.taints[" + i + ']', violations);
            if (!seen.add(JsonFields.text(taint, "effect") + ' ' + JsonFields.text(taint, "key"))) {
                violations.duplicate("metadata.taints[" + i + ']', taint);
            }
        }
        JsonNode status = JsonFields.get(object, "status");
        QuantityRules.capacity(JsonFields.get(status, "capacity"), "status.capacity", violations);
        QuantityRules.capacity(JsonFields.get(status, "allocatable"), "status.allocatable", violations);
        validateAddresses(JsonFields.get(status, "addresses"), violations);
    }

    private static void validateTaint(JsonNode taint, String path, Violations violations) {
        LabelRules.key(JsonFields.text(taint, "key"), path + ".key", violations);
        String value = JsonFields.text(taint, "value");
        List<String> problems = NameSyntax.labelValue(value);
        if (!problems.isEmpty()) {
            violations.invalid(path + ".value", value, String.join(";", problems));
        }
        String effect = JsonFields.text(taint, "effect");
        if (effect.isEmpty()) {
            violations.required(path + ".effect", "");
        } else if (!EFFECTS.contains(effect)) {
            violations.notSupported(path + ".effect", effect, EFFECTS);
        }
    }

    private static void validateAddresses(JsonNode addresses, Violations violations) {
        List<JsonNode> seen = new ArrayList<>();
        for (int i = 0; i < addresses.size(); i++) {
            if (seen.contains(addresses.get(i))) {
                violations.duplicate("status.addresses[" + i + ']', addresses.get(i));
            }
            seen.add(addresses.get(i));
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode spec = JsonFields.get(next, "spec");
        JsonNode was = JsonFields.get(before, "spec");
        if (!JsonFields.get(was, "podCIDRs").isEmpty()
                && !JsonFields.same(JsonFields.get(spec, "podCIDRs"), JsonFields.get(was, "podCIDRs"))) {
            violations.forbidden("spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid");
        }
        if (!JsonFields.text(was, "providerID").isEmpty()
                && !JsonFields.text(spec, "providerID").equals(JsonFields.text(was, "providerID"))) {
            violations.forbidden("spec.providerID", "node updates may not change providerID except from \"\" to valid");
        }
        if (!sameBesidesChangeable(spec, was) || !sameBesidesChangeable(was, spec)) {
            violations.forbidden(
                    "[]",
                    "node updates may only change labels, taints, or capacity (or configSource, if the"
                            + " DynamicKubeletConfig feature gate is enabled)");
        }
    }

    private static boolean sameBesidesChangeable(JsonNode one, JsonNode other) {
        for (var field : one.properties()) {
            if (!CHANGEABLE.contains(field.getKey())
                    && !JsonFields.same(field.getValue(), JsonFields.get(other, field.getKey()))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        validate(next, violations);
    }
}
