package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;

/** Rules of ActualVolumes: a volume that a node has, as that node tells. For another it is another object. Stateless; any thread. */
public final class ActualVolumeRules extends SeparateStatus {
    @Override
    public void prepareForCreate(ObjectNode object) {
        // The status stays: the node that makes the object knows it.
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = Fields.get(object, "spec");
        NodeVolumes.validate(spec, violations);
        if (Fields.text(spec, "plugin").isEmpty()) {
            violations.required("spec.plugin", "");
        }
        validateStatus(Fields.get(object, "status"), violations);
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        NodeVolumes.unchanged(next, before, violations, "node", "volume");
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        validateStatus(Fields.get(next, "status"), violations);
    }

    private static void validateStatus(JsonNode status, Violations violations) {
        attempts(status, "status", violations);
        JsonNode mounts = Fields.get(status, "mounts");
        for (int i = 0; i < mounts.size(); i++) {
            String path = "status.mounts[" + i + "]";
            if (Fields.text(mounts.get(i), "path").isEmpty()) {
                violations.required(path + ".path", "");
            }
            attempts(mounts.get(i), path, violations);
        }
    }

    private static void attempts(JsonNode holder, String path, Violations violations) {
        JsonNode attempts = Fields.get(holder, "attempts");
        if (attempts.asLong(0) < 0) {
            violations.invalid(path + ".attempts", attempts, "must be greater than or equal to 0");
        }
    }
}
