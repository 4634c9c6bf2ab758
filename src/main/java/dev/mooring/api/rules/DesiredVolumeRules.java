package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Rules;
import dev.mooring.api.kind.Violations;
import java.util.List;

/**
 * Rules of DesiredVolumes: for another node, Pod or volume it is another object. Who mounts it may be open: then its status says why.
 * Stateless; any thread.
 */
public final class DesiredVolumeRules implements Rules {
    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = Fields.get(object, "spec");
        NodeVolumes.validate(spec, violations);
        for (String field : List.of("namespace", "name", "uid")) {
            if (Fields.text(spec, "pod", field).isEmpty()) {
                violations.required("spec.pod." + field, "");
            }
        }
        String volume = Fields.text(spec, "volumeName");
        if (volume.isEmpty()) {
            violations.required("spec.volumeName", "");
        } else {
            LabelRules.invalid("spec.volumeName", volume, Names.dns1123Label(volume), violations);
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        NodeVolumes.unchanged(next, before, violations, "node", "pod", "volumeName");
    }
}
