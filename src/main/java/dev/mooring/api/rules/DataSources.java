package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;

/**
 * What a claim's volume is to be filled from. It can be said in two fields, the older {@code dataSource} and {@code dataSourceRef};
 * where only one is given, the other gets the same. Stateless; any thread.
 */
final class DataSources {
    private static final String SNAPSHOTS = "snapshot.storage.k8s.io";

    private DataSources() {}

    /** Drops what nobody could fill a volume from out of the older field, as ever; then makes both fields say the same. */
    static void normalize(ObjectNode spec) {
        if (Fields.has(spec, "dataSource") && !isClaimOrSnapshot(spec.get("dataSource"))) {
            spec.remove("dataSource");
        }
        JsonNode source = Fields.get(spec, "dataSource");
        JsonNode reference = Fields.get(spec, "dataSourceRef");
        if (!Fields.text(reference, "namespace").isEmpty()) {
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
        String group = Fields.text(source, "apiGroup");
        String kind = Fields.text(source, "kind");
        return (group.isEmpty() && kind.equals("PersistentVolumeClaim"))
                || (group.equals(SNAPSHOTS) && kind.equals("VolumeSnapshot"));
    }

    static void validate(JsonNode spec, String path, Violations violations) {
        JsonNode source = Fields.get(spec, "dataSource");
        JsonNode reference = Fields.get(spec, "dataSourceRef");
        if (!source.isMissingNode()) {
            reference(source, path + ".dataSource", violations);
        }
        if (!reference.isMissingNode()) {
            reference(reference, path + ".dataSourceRef", violations);
        }
        String namespace = Fields.text(reference, "namespace");
        if (!namespace.isEmpty()) {
            LabelRules.invalid(path + ".dataSourceRef.namespace", namespace, Names.dns1123Label(namespace), violations);
            if (!source.isMissingNode()) {
                violations.invalid(
                        path, path + ".dataSource", "may not be specified when dataSourceRef.namespace is specified");
            }
        } else if (!source.isMissingNode() && !reference.isMissingNode() && !Fields.same(source, reference)) {
            violations.invalid(path, path + ".dataSource", "must match dataSourceRef");
        }
    }

    private static void reference(JsonNode source, String path, Violations violations) {
        if (Fields.text(source, "name").isEmpty()) {
            violations.required(path + ".name", "");
        }
        String kind = Fields.text(source, "kind");
        if (kind.isEmpty()) {
            violations.required(path + ".kind", "");
        }
        String group = Fields.text(source, "apiGroup");
        if (group.isEmpty() && !kind.equals("PersistentVolumeClaim")) {
            violations.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
        }
        if (!group.isEmpty()) {
            LabelRules.invalid(path + ".apiGroup", group, Names.dns1123Subdomain(group), violations);
        }
    }
}
