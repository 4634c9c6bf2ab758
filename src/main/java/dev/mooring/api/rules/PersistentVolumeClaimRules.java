package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;
import dev.mooring.model.Quantity;
import java.util.Set;

/** Rules of PersistentVolumeClaims: what is asked for stays what was asked for, but for its size. Stateless; any thread. */
public final class PersistentVolumeClaimRules extends SeparateStatus {
    private static final Set<String> RESIZE_STATES = Set.of(
            "ControllerResizeInProgress",
            "ControllerResizeInfeasible",
            "NodeResizePending",
            "NodeResizeInProgress",
            "NodeResizeInfeasible");

    @Override
    public void normalize(ObjectNode object) {
        Minik8sSpelling.ofClaim(object);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put("phase", "Pending");
        DataSources.normalize(Fields.object(object, "spec"));
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        super.prepareForUpdate(next, before);
        DataSources.normalize(Fields.object(next, "spec"));
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Fields.defaultText(Fields.object(object, "status"), "phase", "Pending");
        defaultSpec(Fields.object(object, "spec"));
    }

    /** Also for the claims that Pods carry as templates. */
    public static void defaultSpec(ObjectNode spec) {
        if (!Fields.has(spec, "volumeMode")) {
            spec.put("volumeMode", "Filesystem");
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = Fields.get(object, "spec");
        validateSpec(spec, "spec", violations);
        validateNameOfNewVolume(spec, violations);
    }

    /**
     * With a {@link BuiltInClass} a volume that does not exist is made under the name the claim gives it, so that must be a name.
     * Kubernetes takes any text here, and waits for a volume that nobody can create.
     */
    private static void validateNameOfNewVolume(JsonNode spec, Violations violations) {
        String name = Fields.text(spec, "volumeName");
        if (!name.isEmpty()
                && BuiltInClass.named(Fields.text(spec, "storageClassName")).isPresent()) {
            LabelRules.invalid("spec.volumeName", name, Names.dns1123Subdomain(name), violations);
        }
    }

    /** Also for the claims that Pods carry as templates. */
    public static void validateSpec(JsonNode spec, String path, Violations violations) {
        if (Fields.get(spec, "accessModes").isEmpty()) {
            violations.required(path + ".accessModes", "at least 1 access mode is required");
        }
        if (Fields.has(spec, "selector")) {
            LabelRules.selector(spec.get("selector"), path + ".selector", violations);
        }
        AccessModeRules.accessModes(spec, path, violations);
        JsonNode size = Fields.get(Fields.get(spec, "resources", "requests"), "storage");
        if (size.isMissingNode()) {
            violations.required(path + ".resources[storage]", "");
        } else {
            QuantityRules.positive(size, path + ".resources[storage]", violations);
        }
        AccessModeRules.className(spec, "storageClassName", path, violations);
        AccessModeRules.volumeMode(spec, path, violations);
        DataSources.validate(spec, path, violations);
        AccessModeRules.className(spec, "volumeAttributesClassName", path, violations);
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        ClaimChange change = new ClaimChange(next, before);
        change.classAnnotationKept(violations);
        if (!change.isAllowed()) {
            violations.forbidden(
                    "spec",
                    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound"
                            + " claims");
        }
        Quantity size = change.size();
        if (size.compareTo(change.sizeBefore()) < 0 && size.compareTo(change.capacityBefore()) <= 0) {
            violations.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
        }
        JsonNode spec = Fields.get(next, "spec");
        JsonNode was = Fields.get(before, "spec");
        AccessModeRules.volumeModeUnchanged(spec, was, violations);
        attributesClassKept(spec, was, violations);
    }

    private static void attributesClassKept(JsonNode spec, JsonNode was, Violations violations) {
        if (!Fields.has(was, "volumeAttributesClassName")) {
            return;
        }
        if (!Fields.has(spec, "volumeAttributesClassName")) {
            violations.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
        } else if (Fields.text(spec, "volumeAttributesClassName").isEmpty()
                && !Fields.text(was, "volumeAttributesClassName").isEmpty()) {
            violations.forbidden(
                    "spec.volumeAttributesClassName", "update from non-nil value to an empty string is forbidden");
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode status = Fields.get(next, "status");
        QuantityRules.capacity(Fields.get(status, "capacity"), "status.capacity", violations);
        for (var each : Fields.get(status, "allocatedResourceStatuses").properties()) {
            String path = "status.allocatedResourceStatus";
            resourceName(each.getKey(), path, violations);
            if (!RESIZE_STATES.contains(each.getValue().asText(""))) {
                violations.notSupported(path, each.getKey(), RESIZE_STATES);
            }
        }
        JsonNode allocated = Fields.get(status, "allocatedResources");
        allocated.fieldNames().forEachRemaining(name -> resourceName(name, "status.allocatedResources", violations));
        QuantityRules.capacity(allocated, "status.allocatedResources", violations);
    }

    /** Of Kubernetes' own resources a claim has only storage; others must name their domain. */
    private static void resourceName(String name, String path, Violations violations) {
        boolean valid = Names.qualifiedName(name).isEmpty();
        LabelRules.key(name, path, violations);
        boolean ours = name.indexOf('/') < 0 || name.contains("kubernetes.io/");
        if (valid && ours && !name.equals("storage")) {
            violations.notSupported(path, name, Set.of("storage"));
        }
    }
}
