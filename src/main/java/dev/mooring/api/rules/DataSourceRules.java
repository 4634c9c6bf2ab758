package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Rules of a claim's data source. It can be given in two fields, the older {@code dataSource} and
 * {@code dataSourceRef}; if only one is given, it is copied to the other. Stateless; thread-safe.
 */
final class DataSourceRules {
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
                        path, path + ".dataSource", "may not be specified when dataSourceRef.namespace is specified");
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
