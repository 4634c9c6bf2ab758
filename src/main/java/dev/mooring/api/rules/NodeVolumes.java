package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;

/** What desired and actual volumes have in common: a node, and somebody there who mounts them, once that is known. Stateless; any thread. */
final class NodeVolumes {
    private NodeVolumes() {}

    static void validate(JsonNode spec, Violations violations) {
        String node = Fields.text(spec, "node");
        if (node.isEmpty()) {
            violations.required("spec.node", "");
        } else {
            LabelRules.invalid("spec.node", node, Names.dns1123Subdomain(node), violations);
        }
        String plugin = Fields.text(spec, "plugin");
        if (!plugin.isEmpty()) {
            LabelRules.key(plugin, "spec.plugin", violations);
        }
        AccessModeRules.volumeMode(spec, "spec", violations);
    }

    static void unchanged(ObjectNode next, ObjectNode before, Violations violations, String... fields) {
        JsonNode spec = Fields.get(next, "spec");
        for (String field : fields) {
            JsonNode value = Fields.get(spec, field);
            if (!Fields.same(value, Fields.get(before, "spec", field))) {
                violations.invalid("spec." + field, Fields.shown(value), "field is immutable");
            }
        }
    }
}
