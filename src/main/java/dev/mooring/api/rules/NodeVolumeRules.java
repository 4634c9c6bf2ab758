package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Rules that DesiredVolumes and ActualVolumes share: a node, and its mounter once that is known. Stateless;
 * thread-safe.
 */
final class NodeVolumeRules {
    private NodeVolumeRules() {}

    static void validate(JsonNode spec, Violations violations) {
        String node = JsonFields.text(spec, "node");
        if (node.isEmpty()) {
            violations.required("spec.node", "");
        } else {
            LabelRules.invalid("spec.node", node, NameSyntax.dns1123Subdomain(node), violations);
        }
        String plugin = JsonFields.text(spec, "plugin");
        if (!plugin.isEmpty()) {
            LabelRules.key(plugin, "spec.plugin", violations);
        }
        AccessModeRules.volumeMode(spec, "spec", violations);
    }

    static void unchanged(ObjectNode next, ObjectNode before, Violations violations, String... fields) {
        JsonNode spec = JsonFields.get(next, "spec");
        for (String field : fields) {
            JsonNode value = JsonFields.get(spec, field);
            if (!JsonFields.same(value, JsonFields.get(before, "spec", field))) {
                violations.invalid("spec." + field, JsonFields.valueOrNull(value), "field is immutable");
            }
        }
    }
}
