package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * Rules of DesiredVolumes: node, Pod and volume are immutable. The mounter may be unset; the status then has the
 * reason. Stateless; thread-safe.
 */
public final class DesiredVolumeRules implements Rules {
    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        NodeVolumeRules.validate(spec, violations);
        for (String field : List.of("namespace", "name", "uid")) {
            if (JsonFields.text(spec, "pod", field).isEmpty()) {
                violations.required("spec.pod." + field, "");
            }
        }
        String volume = JsonFields.text(spec, "volumeName");
        if (volume.isEmpty()) {
            violations.required("spec.volumeName", "");
        } else {
            LabelRules.invalid("spec.volumeName", volume, NameSyntax.dns1123Label(volume), violations);
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        NodeVolumeRules.unchanged(next, before, violations, "node", "pod", "volumeName");
    }
}
