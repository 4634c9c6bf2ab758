package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rules of VolumeOperations: the spec is immutable, except that a provision may become a delete. Stateless;
 * thread-safe.
 */
public final class VolumeOperationRules extends StatusSubresourceRules {
    private static final String PROVISION = "Provision";
    private static final String DELETE = "Delete";
    private static final List<String> OPERATIONS = List.of(PROVISION, DELETE, "Scrub", "Grow");
    private static final String SUCCEEDED = "Succeeded";
    private static final List<String> STATES = List.of("Pending", "Running", SUCCEEDED, "Failed");
    private static final String ANNOTATIONS = "annotations";
    private static final String TRIED = StorageNames.TRIED_SPEC;

    /** Sources that the built-in provisioners create. */
    private static final List<String> SOURCES = SourceTypes.persistentFields();

    private static final Set<String> MAY_TURN = Set.of("operation", "source");

    /**
     * Restores all but the status. The annotations belong to the decision; a node may only record which spec it has
     * tried.
     */
    @Override
    public void prepareForStatusUpdate(ObjectNode next, ObjectNode before) {
        super.prepareForStatusUpdate(next, before);
        ObjectNode metadata = JsonFields.object(next, "metadata");
        String tried = JsonFields.text(JsonFields.get(metadata, ANNOTATIONS), TRIED);
        for (String field : List.of(ANNOTATIONS, "labels", "finalizers", "ownerReferences")) {
            JsonFields.takeFrom(JsonFields.object(before, "metadata"), field, metadata);
        }
        if (!tried.isEmpty()) {
            JsonFields.object(metadata, ANNOTATIONS).put(TRIED, tried);
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        String operation = JsonFields.text(spec, "operation");
        if (operation.isEmpty()) {
            violations.required("spec.operation", "");
        } else if (!OPERATIONS.contains(operation)) {
            violations.notSupported("spec.operation", operation, OPERATIONS);
        }
        name(spec, "node", violations);
        String provisioner = JsonFields.text(spec, "provisioner");
        if (provisioner.isEmpty()) {
            violations.required("spec.provisioner", "");
        } else {
            LabelRules.key(provisioner, "spec.provisioner", violations);
        }
        name(spec, "persistentVolume", violations);
        if (JsonFields.text(spec, "persistentVolumeUID").isEmpty()) {
            violations.required("spec.persistentVolumeUID", "");
        }
        AccessModeRules.volumeMode(spec, "spec", violations);
        if (JsonFields.has(spec, "capacity")) {
            QuantityRules.positive(spec.get("capacity"), "spec.capacity", violations);
        }
    }

    private static void name(JsonNode spec, String field, Violations violations) {
        String name = JsonFields.text(spec, field);
        if (name.isEmpty()) {
            violations.required("spec." + field, "");
        } else {
            LabelRules.invalid("spec." + field, name, NameSyntax.dns1123Subdomain(name), violations);
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode spec = JsonFields.get(next, "spec");
        JsonNode was = JsonFields.get(before, "spec");
        boolean turned = JsonFields.text(was, "operation").equals(PROVISION)
                && JsonFields.text(spec, "operation").equals(DELETE);
        Set<String> fields = new HashSet<>();
        spec.fieldNames().forEachRemaining(fields::add);
        was.fieldNames().forEachRemaining(fields::add);
        boolean kept = fields.stream()
                .allMatch(field -> (turned && MAY_TURN.contains(field))
                        || JsonFields.same(JsonFields.get(spec, field), JsonFields.get(was, field)));
        if (!kept) {
            violations.forbidden(
                    "spec",
                    "spec is immutable after creation except that Provision may become Delete, with its source");
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode status = JsonFields.get(next, "status");
        String state = JsonFields.text(status, "state");
        if (!state.isEmpty() && !STATES.contains(state)) {
            violations.notSupported("status.state", state, STATES);
        }
        JsonNode attempts = JsonFields.get(status, "attempts");
        if (attempts.asLong(0) < 0) {
            violations.invalid("status.attempts", attempts, "must be greater than or equal to 0");
        }
        if (JsonFields.has(status, "capacity")) {
            QuantityRules.notNegative(status.get("capacity"), "status.capacity", violations);
        }
        validateEnd(next, before, violations);
    }

    /** Requires that Succeeded follows Running and that its source is set once, because controllers act upon both. */
    private static void validateEnd(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode status = JsonFields.get(next, "status");
        JsonNode was = JsonFields.get(before, "status");
        boolean succeeded = JsonFields.text(status, "state").equals(SUCCEEDED);
        boolean had = JsonFields.text(was, "state").equals(SUCCEEDED);
        if (succeeded && !had && !JsonFields.text(was, "state").equals("Running")) {
            violations.invalid("status.state", SUCCEEDED, "may only follow \"Running\"");
        }
        JsonNode source = JsonFields.get(status, "source");
        if (source.isMissingNode()) {
            return;
        }
        if (!succeeded || !JsonFields.text(next, "spec", "operation").equals(PROVISION)) {
            violations.forbidden("status.source", "may only be set when a Provision has succeeded");
        } else if (had && !JsonFields.same(source, JsonFields.get(was, "source"))) {
            violations.invalid("status.source", JsonFields.valueOrNull(source), "field is immutable");
        } else if (!isOneSource(source)) {
            violations.invalid("status.source", source, "must be an object with exactly one of " + SOURCES);
        }
    }

    private static boolean isOneSource(JsonNode source) {
        return source.size() == 1
                && SOURCES.stream()
                        .anyMatch(name -> JsonFields.get(source, name).isObject());
    }
}
