package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rules of VolumeOperations: what was decided stays decided, except that what was to be provisioned may come to be deleted instead. Stateless;
 * any thread.
 */
public final class VolumeOperationRules extends SeparateStatus {
    private static final String PROVISION = "Provision";
    private static final String DELETE = "Delete";
    private static final List<String> OPERATIONS = List.of(PROVISION, DELETE, "Scrub", "Grow");
    private static final List<String> STATES = List.of("Pending", "Running", "Succeeded", "Failed");
    private static final Set<String> MAY_TURN = Set.of("operation", "source");

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = Fields.get(object, "spec");
        String operation = Fields.text(spec, "operation");
        if (operation.isEmpty()) {
            violations.required("spec.operation", "");
        } else if (!OPERATIONS.contains(operation)) {
            violations.notSupported("spec.operation", operation, OPERATIONS);
        }
        name(spec, "node", violations);
        String provisioner = Fields.text(spec, "provisioner");
        if (provisioner.isEmpty()) {
            violations.required("spec.provisioner", "");
        } else {
            LabelRules.key(provisioner, "spec.provisioner", violations);
        }
        name(spec, "persistentVolume", violations);
        if (Fields.text(spec, "persistentVolumeUID").isEmpty()) {
            violations.required("spec.persistentVolumeUID", "");
        }
        AccessModeRules.volumeMode(spec, "spec", violations);
        if (Fields.has(spec, "capacity")) {
            QuantityRules.positive(spec.get("capacity"), "spec.capacity", violations);
        }
    }

    private static void name(JsonNode spec, String field, Violations violations) {
        String name = Fields.text(spec, field);
        if (name.isEmpty()) {
            violations.required("spec." + field, "");
        } else {
            LabelRules.invalid("spec." + field, name, Names.dns1123Subdomain(name), violations);
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode spec = Fields.get(next, "spec");
        JsonNode was = Fields.get(before, "spec");
        boolean turned = Fields.text(was, "operation").equals(PROVISION)
                && Fields.text(spec, "operation").equals(DELETE);
        Set<String> fields = new HashSet<>();
        spec.fieldNames().forEachRemaining(fields::add);
        was.fieldNames().forEachRemaining(fields::add);
        boolean kept = fields.stream()
                .allMatch(field -> (turned && MAY_TURN.contains(field))
                        || Fields.same(Fields.get(spec, field), Fields.get(was, field)));
        if (!kept) {
            violations.forbidden(
                    "spec",
                    "spec is immutable after creation except that Provision may become Delete, with its source");
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode status = Fields.get(next, "status");
        String state = Fields.text(status, "state");
        if (!state.isEmpty() && !STATES.contains(state)) {
            violations.notSupported("status.state", state, STATES);
        }
        JsonNode attempts = Fields.get(status, "attempts");
        if (attempts.asLong(0) < 0) {
            violations.invalid("status.attempts", attempts, "must be greater than or equal to 0");
        }
        if (Fields.has(status, "capacity")) {
            QuantityRules.notNegative(status.get("capacity"), "status.capacity", violations);
        }
    }
}
