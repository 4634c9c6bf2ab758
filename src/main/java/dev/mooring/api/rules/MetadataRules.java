package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Rules of metadata for all kinds; only names and the namespace differ by kind. Name generation and the request's
 * namespace must be applied before. Immutable; thread-safe.
 */
public final class MetadataRules {
    private static final int ANNOTATIONS_MAX = 256 * 1024;
    private static final String PATH = "metadata";
    private static final String IMMUTABLE = "field is immutable";
    private static final List<String> NEVER_CHANGED =
            List.of("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds");

    private final NameStyle names;
    private final MetadataScope scope;

    private enum MetadataScope {
        NAMESPACE,
        CLUSTER
    }

    private MetadataRules(NameStyle names, MetadataScope scope) {
        this.names = names;
        this.scope = scope;
    }

    /** Returns the rules of namespaced objects. */
    public static MetadataRules namespaced(NameStyle names) {
        return new MetadataRules(names, MetadataScope.NAMESPACE);
    }

    /** Returns the rules of cluster-scoped objects. */
    public static MetadataRules clusterWide(NameStyle names) {
        return new MetadataRules(names, MetadataScope.CLUSTER);
    }

    /** Validates the metadata of a new object. */
    public void validate(ObjectNode object, Violations violations) {
        JsonNode metadata = JsonFields.get(object, PATH);
        String name = JsonFields.text(metadata, "name");
        if (name.isEmpty()) {
            violations.required("metadata.name", "name or generateName is required");
        } else {
            LabelRules.invalid("metadata.name", name, names.problems(name), violations);
        }
        namespace(JsonFields.text(metadata, "namespace"), violations);
        common(metadata, violations);
    }

    /**
     * Restores metadata that an update may omit or must not change: the uid, the creation time, and the deletion state.
     */
    public static void prepareForUpdate(ObjectNode next, ObjectNode before) {
        ObjectNode metadata = JsonFields.object(next, PATH);
        JsonNode was = JsonFields.get(before, PATH);
        keepIfLeftOut(metadata, was, "uid");
        keepIfLeftOut(metadata, was, "creationTimestamp");
        if (JsonFields.has(was, "deletionTimestamp")) {
            metadata.set("deletionTimestamp", was.get("deletionTimestamp"));
        }
        keepIfLeftOut(metadata, was, "deletionGracePeriodSeconds");
    }

    private static void keepIfLeftOut(ObjectNode metadata, JsonNode was, String field) {
        JsonNode value = JsonFields.get(metadata, field);
        boolean leftOut =
                value.isMissingNode() || (value.isTextual() && value.textValue().isEmpty());
        if (leftOut && JsonFields.has(was, field)) {
            metadata.set(field, was.get(field));
        }
    }

    /** Validates changed metadata, including the checks of {@link #validate}. */
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode metadata = JsonFields.get(next, PATH);
        JsonNode was = JsonFields.get(before, PATH);
        if (JsonFields.has(was, "deletionTimestamp")) {
            noNewFinalizers(JsonFields.get(metadata, "finalizers"), JsonFields.get(was, "finalizers"), violations);
        }
        for (String field : NEVER_CHANGED) {
            JsonNode value = JsonFields.get(metadata, field);
            if (!JsonFields.same(value, JsonFields.get(was, field))) {
                violations.invalid(PATH + '.' + field, JsonFields.valueOrNull(value), IMMUTABLE);
            }
        }
        common(metadata, violations);
    }

    private void namespace(String namespace, Violations violations) {
        if (scope == MetadataScope.CLUSTER) {
            if (!namespace.isEmpty()) {
                violations.forbidden("metadata.namespace", "not allowed on this type");
            }
        } else if (namespace.isEmpty()) {
            violations.required("metadata.namespace", "");
        } else {
            LabelRules.invalid("metadata.namespace", namespace, NameSyntax.dns1123Label(namespace), violations);
        }
    }

    private void common(JsonNode metadata, Violations violations) {
        String prefix = JsonFields.text(metadata, "generateName");
        if (!prefix.isEmpty()) {
            LabelRules.invalid("metadata.generateName", prefix, names.problemsOfPrefix(prefix), violations);
        }
        LabelRules.labels(JsonFields.get(metadata, "labels"), "metadata.labels", violations);
        annotations(JsonFields.get(metadata, "annotations"), "metadata.annotations", violations);
        validateOwners(JsonFields.get(metadata, "ownerReferences"), "metadata.ownerReferences", violations);
        finalizers(JsonFields.get(metadata, "finalizers"), violations);
        managedFields(JsonFields.get(metadata, "managedFields"), violations);
    }

    /** Validates annotations: keys as of labels but in any case, any values, limited total size. */
    public static void annotations(JsonNode annotations, String path, Violations violations) {
        long size = 0;
        for (var annotation : annotations.properties()) {
            String key = annotation.getKey();
            LabelRules.invalid(path, key, NameSyntax.qualifiedName(key.toLowerCase(Locale.ROOT)), violations);
            size += JsonFields.bytes(key)
                    + JsonFields.bytes(annotation.getValue().asText(""));
        }
        if (size > ANNOTATIONS_MAX) {
            violations.tooLong(path, ANNOTATIONS_MAX);
        }
    }

    private static void finalizers(JsonNode finalizers, Violations violations) {
        boolean orphan = false;
        boolean foreground = false;
        for (JsonNode each : finalizers) {
            String finalizer = each.asText("");
            LabelRules.key(finalizer, "metadata.finalizers", violations);
            orphan |= finalizer.equals("orphan");
            foreground |= finalizer.equals("foregroundDeletion");
        }
        if (orphan && foreground) {
            violations.invalid(
                    "metadata.finalizers", finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
        }
    }

    private static void noNewFinalizers(JsonNode finalizers, JsonNode before, Violations violations) {
        Set<String> added = new TreeSet<>();
        finalizers.forEach(each -> added.add(each.asText("")));
        before.forEach(each -> added.remove(each.asText("")));
        if (!added.isEmpty()) {
            violations.forbidden(
                    "metadata.finalizers",
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{\""
                            + String.join("\", \"", added) + "\"}");
        }
    }

    private static void managedFields(JsonNode entries, Violations violations) {
        for (int i = 0; i < entries.size(); i++) {
            ManagerRules.validate(entries.get(i), "metadata.managedFields[" + i + "]", violations);
        }
    }

    /** Validates {@code metadata.ownerReferences}. */
    private static void validateOwners(JsonNode owners, String path, Violations violations) {
        String controller = "";
        for (JsonNode owner : owners) {
            requireOwnerFields(owner, path, violations);
            if (JsonFields.isTrue(owner, "controller")) {
                String name = JsonFields.text(owner, "kind") + '/' + JsonFields.text(owner, "name");
                if (controller.isEmpty()) {
                    controller = name;
                } else {
                    violations.invalid(path, owners, severalControllers(controller, name));
                }
            }
        }
    }

    private static void requireOwnerFields(JsonNode owner, String path, Violations violations) {
        String apiVersion = JsonFields.text(owner, "apiVersion");
        if (apiVersion.isEmpty() || apiVersion.endsWith("/")) {
            violations.invalid(path + ".apiVersion", apiVersion, "version must not be empty");
        }
        requireOwnerField(owner, "kind", path, violations);
        requireOwnerField(owner, "name", path, violations);
        requireOwnerField(owner, "uid", path, violations);
        if (apiVersion.equals("v1") && JsonFields.text(owner, "kind").equals("Event")) {
            violations.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner");
        }
    }

    private static void requireOwnerField(JsonNode owner, String field, String path, Violations violations) {
        if (JsonFields.text(owner, field).isEmpty()) {
            violations.invalid(path + '.' + field, "", "must not be empty");
        }
    }

    private static String severalControllers(String one, String other) {
        return "Only one reference can have Controller set to true. Found \"true\" in references for " + one + " and "
                + other;
    }
}
