package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * What metadata may say, for all kinds alike; only names and whether there is a namespace differ. A name must have been generated, and
 * the namespace of the request filled in, before it is asked. Immutable; any thread.
 */
public final class MetadataRules {
    private static final int ANNOTATIONS_MAX = 256 * 1024;
    private static final String PATH = "metadata";
    private static final String IMMUTABLE = "field is immutable";
    private static final List<String> NEVER_CHANGED =
            List.of("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds");

    private final NameStyle names;
    private final Reach reach;

    private enum Reach {
        NAMESPACE,
        CLUSTER
    }

    private MetadataRules(NameStyle names, Reach reach) {
        this.names = names;
        this.reach = reach;
    }

    /** For objects that live in a namespace. */
    public static MetadataRules namespaced(NameStyle names) {
        return new MetadataRules(names, Reach.NAMESPACE);
    }

    /** For objects that do not. */
    public static MetadataRules clusterWide(NameStyle names) {
        return new MetadataRules(names, Reach.CLUSTER);
    }

    /** Whether an object may be created with this metadata. */
    public void validate(ObjectNode object, Violations violations) {
        JsonNode metadata = Fields.get(object, PATH);
        String prefix = Fields.text(metadata, "generateName");
        if (!prefix.isEmpty()) {
            LabelRules.invalid("metadata.generateName", prefix, names.problemsOfPrefix(prefix), violations);
        }
        String name = Fields.text(metadata, "name");
        if (name.isEmpty()) {
            violations.required("metadata.name", "name or generateName is required");
        } else {
            LabelRules.invalid("metadata.name", name, names.problems(name), violations);
        }
        namespace(Fields.text(metadata, "namespace"), violations);
        common(metadata, violations);
    }

    /**
     * What a writer may leave out of the metadata of an update, and what nobody can take back: the uid, the time of creation, and that
     * the object is being deleted.
     */
    public static void prepareForUpdate(ObjectNode next, ObjectNode before) {
        ObjectNode metadata = Fields.object(next, PATH);
        JsonNode was = Fields.get(before, PATH);
        keepIfLeftOut(metadata, was, "uid");
        keepIfLeftOut(metadata, was, "creationTimestamp");
        if (Fields.has(was, "deletionTimestamp")) {
            metadata.set("deletionTimestamp", was.get("deletionTimestamp"));
        }
        keepIfLeftOut(metadata, was, "deletionGracePeriodSeconds");
    }

    private static void keepIfLeftOut(ObjectNode metadata, JsonNode was, String field) {
        JsonNode value = Fields.get(metadata, field);
        boolean leftOut =
                value.isMissingNode() || (value.isTextual() && value.textValue().isEmpty());
        if (leftOut && Fields.has(was, field)) {
            metadata.set(field, was.get(field));
        }
    }

    /** Whether metadata may become so, and be so at all. {@link #validate} need not be asked too. */
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode metadata = Fields.get(next, PATH);
        JsonNode was = Fields.get(before, PATH);
        if (Fields.has(was, "deletionTimestamp")) {
            noNewFinalizers(Fields.get(metadata, "finalizers"), Fields.get(was, "finalizers"), violations);
        }
        for (String field : NEVER_CHANGED) {
            JsonNode value = Fields.get(metadata, field);
            if (!Fields.same(value, Fields.get(was, field))) {
                violations.invalid(PATH + '.' + field, Fields.shown(value), IMMUTABLE);
            }
        }
        common(metadata, violations);
    }

    private void namespace(String namespace, Violations violations) {
        if (reach == Reach.CLUSTER) {
            if (!namespace.isEmpty()) {
                violations.forbidden("metadata.namespace", "not allowed on this type");
            }
        } else if (namespace.isEmpty()) {
            violations.required("metadata.namespace", "");
        } else {
            LabelRules.invalid("metadata.namespace", namespace, Names.dns1123Label(namespace), violations);
        }
    }

    private static void common(JsonNode metadata, Violations violations) {
        LabelRules.labels(Fields.get(metadata, "labels"), "metadata.labels", violations);
        annotations(Fields.get(metadata, "annotations"), "metadata.annotations", violations);
        OwnerRules.validate(Fields.get(metadata, "ownerReferences"), "metadata.ownerReferences", violations);
        finalizers(Fields.get(metadata, "finalizers"), violations);
        managedFields(Fields.get(metadata, "managedFields"), violations);
    }

    /** Keys as of labels, but in any case; any values, but not too much of them. */
    public static void annotations(JsonNode annotations, String path, Violations violations) {
        long size = 0;
        for (var annotation : annotations.properties()) {
            String key = annotation.getKey();
            LabelRules.invalid(path, key, Names.qualifiedName(key.toLowerCase(Locale.ROOT)), violations);
            size += Fields.bytes(key) + Fields.bytes(annotation.getValue().asText(""));
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
}
