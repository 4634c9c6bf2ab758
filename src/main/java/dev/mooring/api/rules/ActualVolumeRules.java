package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Rules of ActualVolumes: a volume on a node, as that node reports it. The identifying fields are immutable. Stateless;
 * thread-safe.
 */
public final class ActualVolumeRules extends StatusSubresourceRules {
    @Override
    public void prepareForCreate(ObjectNode object) {
        // Keeps the status: the node that creates the object knows it.
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        NodeVolumeRules.validate(spec, violations);
        if (JsonFields.text(spec, "plugin").isEmpty()) {
            violations.required("spec.plugin", "");
        }
        validateStatus(JsonFields.get(object, "status"), violations);
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        NodeVolumeRules.unchanged(next, before, violations, "node", "volume");
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        validateStatus(JsonFields.get(next, "status"), violations);
    }

    private static void validateStatus(JsonNode status, Violations violations) {
        attempts(status, "status", violations);
        JsonNode mounts = JsonFields.get(status, "mounts");
        for (int i = 0; i < mounts.size(); i++) {
            String path = "status.mounts[" + i + "]";
            if (JsonFields.text(mounts.get(i), "path").isEmpty()) {
                violations.required(path + ".path", "");
            }
            attempts(mounts.get(i), path, violations);
        }
    }

    private static void attempts(JsonNode holder, String path, Violations violations) {
        JsonNode attempts = JsonFields.get(holder, "attempts");
        if (attempts.asLong(0) < 0) {
            violations.invalid(path + ".attempts", attempts, "must be greater than or equal to 0");
        }
    }
}
