package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import java.util.Set;

/** Rules of PersistentVolumeClaims, whose spec is immutable except for the size. Stateless; thread-safe. */
public final class PersistentVolumeClaimRules extends StatusSubresourceRules {
    private static final Set<String> RESIZE_STATES = Set.of(
            "ControllerResizeInProgress",
            "ControllerResizeInfeasible",
            "NodeResizePending",
            "NodeResizeInProgress",
            "NodeResizeInfeasible");

    @Override
    public void normalize(ObjectNode object) {
        Minik8sConversion.convertClaim(object);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status").put("phase", "Pending");
        DataSourceRules.normalize(JsonFields.object(object, "spec"));
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        super.prepareForUpdate(next, before);
        DataSourceRules.normalize(JsonFields.object(next, "spec"));
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        JsonFields.defaultText(JsonFields.object(object, "status"), "phase", "Pending");
        defaultSpec(JsonFields.object(object, "spec"));
    }

    /** Sets defaults of a claim's spec, also for claim templates in Pods. */
    public static void defaultSpec(ObjectNode spec) {
        if (!JsonFields.has(spec, "volumeMode")) {
            spec.put("volumeMode", "Filesystem");
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        validateSpec(spec, "spec", violations);
        validateNameOfNewVolume(spec, violations);
    }

    /**
     * Requires a valid volume name with a {@link BuiltInStorageClass}, which provisions the volume under that name.
     * Kubernetes accepts any text and waits for a volume that can never exist.
     */
    private static void validateNameOfNewVolume(JsonNode spec, Violations violations) {
        String name = JsonFields.text(spec, "volumeName");
        if (!name.isEmpty()
                && BuiltInStorageClass.byName(JsonFields.text(spec, "storageClassName"))
                        .isPresent()) {
            LabelRules.invalid("spec.volumeName", name, NameSyntax.dns1123Subdomain(name), violations);
        }
    }

    /** Validates a claim's spec, also for claim templates in Pods. */
    public static void validateSpec(JsonNode spec, String path, Violations violations) {
        if (JsonFields.get(spec, "accessModes").isEmpty()) {
            violations.required(path + ".accessModes", "at least 1 access mode is required");
        }
        if (JsonFields.has(spec, "selector")) {
            LabelRules.selector(spec.get("selector"), path + ".selector", violations);
        }
        AccessModeRules.accessModes(spec, path, violations);
        JsonNode size = JsonFields.get(JsonFields.get(spec, "resources", "requests"), "storage");
        if (size.isMissingNode()) {
            violations.required(path + ".resources[storage]", "");
        } else {
            QuantityRules.positive(size, path + ".resources[storage]", violations);
        }
        AccessModeRules.className(spec, "storageClassName", path, violations);
        AccessModeRules.volumeMode(spec, path, violations);
        DataSourceRules.validate(spec, path, violations);
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
        JsonNode spec = JsonFields.get(next, "spec");
        JsonNode was = JsonFields.get(before, "spec");
        AccessModeRules.volumeModeUnchanged(spec, was, violations);
        attributesClassKept(spec, was, violations);
    }

    private static void attributesClassKept(JsonNode spec, JsonNode was, Violations violations) {
        if (!JsonFields.has(was, "volumeAttributesClassName")) {
            return;
        }
        if (!JsonFields.has(spec, "volumeAttributesClassName")) {
            violations.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
        } else if (JsonFields.text(spec, "volumeAttributesClassName").isEmpty()
                && !JsonFields.text(was, "volumeAttributesClassName").isEmpty()) {
            violations.forbidden(
                    "spec.volumeAttributesClassName", "update from non-nil value to an empty string is forbidden");
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode status = JsonFields.get(next, "status");
        QuantityRules.capacity(JsonFields.get(status, "capacity"), "status.capacity", violations);
        for (var each : JsonFields.get(status, "allocatedResourceStatuses").properties()) {
            String path = "status.allocatedResourceStatus";
            resourceName(each.getKey(), path, violations);
            if (!RESIZE_STATES.contains(each.getValue().asText(""))) {
                violations.notSupported(path, each.getKey(), RESIZE_STATES);
            }
        }
        JsonNode allocated = JsonFields.get(status, "allocatedResources");
        allocated.fieldNames().forEachRemaining(name -> resourceName(name, "status.allocatedResources", violations));
        QuantityRules.capacity(allocated, "status.allocatedResources", violations);
    }

    /**
     * Validates a resource name: of Kubernetes' own resources a claim may only have storage; others must have a domain.
     */
    private static void resourceName(String name, String path, Violations violations) {
        boolean valid = NameSyntax.qualifiedName(name).isEmpty();
        LabelRules.key(name, path, violations);
        boolean isKubernetes = name.indexOf('/') < 0 || name.contains("kubernetes.io/");
        if (valid && isKubernetes && !name.equals("storage")) {
            violations.notSupported(path, name, Set.of("storage"));
        }
    }

    /**
     * Rules of a claim's data source. It can be given in two fields, the older {@code dataSource} and
     * {@code dataSourceRef}; if only one is given, it is copied to the other. Stateless; thread-safe.
     */
    private static final class DataSourceRules {
        private static final String SNAPSHOTS = "snapshot.storage.k8s.io";

        private DataSourceRules() {}

        /** Drops unsupported sources from the older field, as Kubernetes does, and makes both fields equal. */
        static void normalize(ObjectNode spec) {
            if (JsonFields.has(spec, "dataSource") && !isClaimOrSnapshot(spec.get("dataSource"))) {
                spec.remove("dataSource");
            }
            JsonNode source = JsonFields.get(spec, "dataSource");
            JsonNode reference = JsonFields.get(spec, "dataSourceRef");
            if (!JsonFields.text(reference, "namespace").isEmpty()) {
                return;
            }
            if (source.isObject() && reference.isMissingNode()) {
                spec.set("dataSourceRef", source.deepCopy());
            } else if (source.isMissingNode() && reference.isObject() && isClaimOrSnapshot(reference)) {
                ObjectNode copy = reference.deepCopy();
                copy.remove("namespace");
                spec.set("dataSource", copy);
            }
        }

        private static boolean isClaimOrSnapshot(JsonNode source) {
            String group = JsonFields.text(source, "apiGroup");
            String kind = JsonFields.text(source, "kind");
            return (group.isEmpty() && kind.equals("PersistentVolumeClaim"))
                    || (group.equals(SNAPSHOTS) && kind.equals("VolumeSnapshot"));
        }

        static void validate(JsonNode spec, String path, Violations violations) {
            JsonNode source = JsonFields.get(spec, "dataSource");
            JsonNode reference = JsonFields.get(spec, "dataSourceRef");
            if (!source.isMissingNode()) {
                reference(source, path + ".dataSource", violations);
            }
            if (!reference.isMissingNode()) {
                reference(reference, path + ".dataSourceRef", violations);
            }
            String namespace = JsonFields.text(reference, "namespace");
            if (!namespace.isEmpty()) {
                LabelRules.invalid(
                        path + ".dataSourceRef.namespace", namespace, NameSyntax.dns1123Label(namespace), violations);
                if (!source.isMissingNode()) {
                    violations.invalid(
                            path,
                            path + ".dataSource",
                            "may not be specified when dataSourceRef.namespace is specified");
                }
            } else if (!source.isMissingNode() && !reference.isMissingNode() && !JsonFields.same(source, reference)) {
                violations.invalid(path, path + ".dataSource", "must match dataSourceRef");
            }
        }

        private static void reference(JsonNode source, String path, Violations violations) {
            if (JsonFields.text(source, "name").isEmpty()) {
                violations.required(path + ".name", "");
            }
            String kind = JsonFields.text(source, "kind");
            if (kind.isEmpty()) {
                violations.required(path + ".kind", "");
            }
            String group = JsonFields.text(source, "apiGroup");
            if (group.isEmpty() && !kind.equals("PersistentVolumeClaim")) {
                violations.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
            }
            if (!group.isEmpty()) {
                LabelRules.invalid(path + ".apiGroup", group, NameSyntax.dns1123Subdomain(group), violations);
            }
        }
    }
}
