package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.NodeRelations;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Limits what a node may write into the objects that its role can access, like Kubernetes' admission plugin of this
 * name: decides by the World of the write and by the object before and after it. Anything not listed here is refused.
 * Thread-safe.
 */
final class NodeRestriction {
    private static final String LEASES = "leases.coordination.k8s.io";
    private static final String LABELS = "labels";
    private static final String ANNOTATIONS = "annotations";
    private static final String OWNERS = "ownerReferences";
    private static final String FINALIZERS = "finalizers";
    private static final String HOSTNAME = "kubernetes.io/hostname";

    /**
     * Kubernetes labels that a node may set on itself. It may also set other labels, unless their prefix is reserved.
     */
    private static final Set<String> NODE_LABELS = Set.of(
            HOSTNAME,
            "kubernetes.io/os",
            "kubernetes.io/arch",
            "topology.kubernetes.io/zone",
            "topology.kubernetes.io/region",
            "node.kubernetes.io/instance-type");

    private static final Set<String> NODE_LABEL_DOMAINS = Set.of("kubelet.kubernetes.io", "node.kubernetes.io");
    private static final List<String> RESIZE_FIELDS =
            List.of("capacity", "conditions", "allocatedResources", "allocatedResourceStatuses");

    private NodeRestriction() {}

    /** Refuses a new object that a node may not create. */
    static void admitCreate(World world, ResourceRef target, ObjectNode object, String node) {
        NodeWrite write = new NodeWrite(world, target, object, object.objectNode(), node);
        write.requireOwnersUnchanged();
        write.requireMetadataUnchanged(FINALIZERS);
        switch (target.kind().resource()) {
            case "nodes" -> write.requireOwnNode();
            case LEASES -> {
                // Only the name matters, which authorization has checked.
            }
            case "events" -> write.requireOwnEvent(object);
            case StorageNames.DESIRED_VOLUMES -> write.newDesiredVolume();
            case StorageNames.ACTUAL_VOLUMES -> write.newActualVolume();
            default ->
                throw write.refused("is not allowed to create " + target.kind().resource());
        }
    }

    /** Refuses a change that a node may not make. */
    static void admitUpdate(World world, ResourceRef target, ObjectNode next, ObjectNode before, String node) {
        NodeWrite write = new NodeWrite(world, target, next, before, node);
        String resource = target.kind().resource();
        write.requireOwnersUnchanged();
        if (!resource.equals(StorageNames.ATTACHMENTS)) {
            write.requireMetadataUnchanged(FINALIZERS);
        }
        switch (target.subresource().isEmpty() ? resource : resource + '/' + target.subresource()) {
            case "nodes", "nodes/status" -> write.requireOwnNode();
            case LEASES -> {
                // As above.
            }
            case "events" -> {
                write.requireOwnEvent(before);
                write.requireOwnEvent(next);
            }
            case "pods/status" -> {
                write.requireAssigned(
                        "spec", "nodeName", "can only update pod status for pods with spec.nodeName set to itself");
                write.requireMetadataUnchanged(LABELS, ANNOTATIONS);
            }
            case "persistentvolumeclaims/status" -> write.resized();
            case "persistentvolumes/status" -> write.mounted();
            case StorageNames.ATTACHMENTS, StorageNames.ATTACHMENTS + "/status" -> write.attached();
            case StorageNames.OPERATIONS + "/status" -> {
                write.requireAssigned(
                        "spec", "node", "can only update the status of operations with spec.node set to itself");
            }
            case StorageNames.DESIRED_VOLUMES, StorageNames.ACTUAL_VOLUMES, StorageNames.ACTUAL_VOLUMES + "/status" ->
                write.requireOwnVolume();
            default -> throw write.refused("is not allowed to modify " + resource);
        }
    }

    /** Refuses a deletion that a node may not request. */
    static void admitDelete(ResourceRef target, StoredObject seen, String node) {
        boolean deletes = Set.of("pods", StorageNames.DESIRED_VOLUMES, StorageNames.ACTUAL_VOLUMES)
                .contains(target.kind().resource());
        if (!deletes || !NodeRelations.isAssigned(node, seen)) {
            throw refused(
                    target, node, "can only delete pods, desiredvolumes and actualvolumes that are assigned to itself");
        }
    }

    private static StatusException refused(ResourceRef target, String node, String why) {
        return new StatusException(target.forbidden(target.name().orElse(""), "node \"" + node + "\" " + why));
    }

    /** A write of a node; a create if there was no object before. */
    private static final class NodeWrite {
        private final World world;
        private final ResourceRef target;
        private final ObjectNode next;
        private final ObjectNode before;
        private final String node;

        private NodeWrite(World world, ResourceRef target, ObjectNode next, ObjectNode before, String node) {
            this.world = world;
            this.target = target;
            this.next = next;
            this.before = before;
            this.node = node;
        }

        private StatusException refused(String why) {
            return NodeRestriction.refused(target, node, why);
        }

        private void require(boolean holds, String otherwise) {
            if (!holds) {
                throw refused(otherwise);
            }
        }

        private void requireAssigned(String part, String field, String otherwise) {
            require(JsonFields.text(before, part, field).equals(node), otherwise);
        }

        private boolean isRelated(ObjectKey key) {
            return NodeRelations.isRelated(world, node, key);
        }

        private boolean isNew() {
            return before.isEmpty();
        }

        private String name() {
            return JsonFields.text(next, "metadata", "name");
        }

        private boolean isKept(String part, String field) {
            return JsonFields.same(JsonFields.get(next, part, field), JsonFields.get(before, part, field));
        }

        private void requireMetadataUnchanged(String... fields) {
            for (String field : fields) {
                require(isKept("metadata", field), "is not allowed to modify metadata." + field);
            }
        }

        /**
         * Refuses changes of owners, because they control deletion. The only owner that a node may set is its Node, on
         * its Lease.
         */
        private void requireOwnersUnchanged() {
            if (isKept("metadata", OWNERS)) {
                return;
            }
            require(target.kind().resource().equals(LEASES), "is not allowed to modify metadata." + OWNERS);
            for (JsonNode each : JsonFields.get(next, "metadata", OWNERS)) {
                require(
                        JsonFields.text(each, "kind").equals("Node")
                                && JsonFields.text(each, "name").equals(node)
                                && !JsonFields.isTrue(each, "blockOwnerDeletion"),
                        "can only make its own Node, without blockOwnerDeletion, the owner of its lease");
            }
        }

        private void requireAnnotationsUnchangedExcept(String allowed) {
            Set<String> changed = changedKeys(ANNOTATIONS);
            changed.remove(allowed);
            require(changed.isEmpty(), "is not allowed to modify annotations: " + String.join(", ", changed));
        }

        private Set<String> changedKeys(String field) {
            JsonNode now = JsonFields.get(next, "metadata", field);
            JsonNode was = JsonFields.get(before, "metadata", field);
            Set<String> keys = new TreeSet<>();
            now.fieldNames().forEachRemaining(keys::add);
            was.fieldNames().forEachRemaining(keys::add);
            keys.removeIf(key -> JsonFields.same(JsonFields.get(now, key), JsonFields.get(was, key)));
            return keys;
        }

        private void requireOwnNode() {
            require(name().equals(node), "is not allowed to modify node \"" + name() + '"');
            Set<String> labels = changedKeys(LABELS);
            labels.removeIf(this::maySet);
            require(
                    labels.isEmpty(),
                    (isNew() ? "is not allowed to set the following labels: " : "is not allowed to modify labels: ")
                            + String.join(", ", labels));
            if (!isNew()) {
                require(isKept("spec", "taints"), "is not allowed to modify taints");
                require(
                        JsonFields.same(JsonFields.get(next, "spec"), JsonFields.get(before, "spec")),
                        "is not allowed to modify spec");
            }
        }

        /**
         * Returns whether a node may set a label on itself. It must not take another node's identity: a local volume is
         * found by its node's hostname label.
         */
        private boolean maySet(String label) {
            if (label.equals(HOSTNAME)) {
                return Set.of("", node).contains(JsonFields.text(JsonFields.get(next, "metadata", LABELS), HOSTNAME));
            }
            int slash = label.indexOf('/');
            String domain = slash < 0 ? "" : label.substring(0, slash);
            boolean ofKubernetes = domain.equals("kubernetes.io")
                    || domain.endsWith(".kubernetes.io")
                    || domain.equals("k8s.io")
                    || domain.endsWith(".k8s.io");
            return !ofKubernetes
                    || NODE_LABELS.contains(label)
                    || NODE_LABEL_DOMAINS.stream().anyMatch(each -> domain.equals(each) || domain.endsWith('.' + each));
        }

        /** Requires that an Event names the node as its source, so that it cannot be taken for a controller's. */
        private void requireOwnEvent(ObjectNode event) {
            JsonNode source = JsonFields.get(event, "source");
            boolean hasSource = !(JsonFields.text(source, "component") + JsonFields.text(source, "host")).isEmpty();
            boolean hasReporter = !(JsonFields.text(event, "reportingComponent")
                            + JsonFields.text(event, "reportingInstance"))
                    .isEmpty();
            require(
                    (hasSource || hasReporter)
                            && (!hasSource || JsonFields.text(source, "host").equals(node))
                            && (!hasReporter
                                    || JsonFields.text(event, "reportingInstance")
                                            .equals(node)),
                    "can only write events with source.host and reportingInstance set to itself");
            JsonNode involved = JsonFields.get(event, "involvedObject");
            require(
                    involved(involved).filter(this::isRelated).isPresent(),
                    "can only write events about objects that are related to it");
        }

        private Optional<ObjectKey> involved(JsonNode involved) {
            String namespace = JsonFields.text(involved, "namespace");
            try {
                return KindResources.ofKind(JsonFields.text(involved, "apiVersion"), JsonFields.text(involved, "kind"))
                        .filter(kind -> kind.isNamespaced() != namespace.isEmpty())
                        .map(kind -> kind.key(namespace, JsonFields.text(involved, "name")));
            } catch (IllegalArgumentException e) {
                return Optional.empty(); // no object can have this name
            }
        }

        private void resized() {
            require(
                    isRelated(target.key()),
                    "can only update the status of claims that are used by pods with spec.nodeName set to itself");
            requireMetadataUnchanged(LABELS, ANNOTATIONS);
            Set<String> fields = new HashSet<>();
            JsonFields.get(next, "status").fieldNames().forEachRemaining(fields::add);
            JsonFields.get(before, "status").fieldNames().forEachRemaining(fields::add);
            RESIZE_FIELDS.forEach(fields::remove);
            require(
                    fields.stream().allMatch(field -> isKept("status", field)),
                    "is not allowed to update fields other than status." + String.join(", status.", RESIZE_FIELDS));
        }

        /** Checks a write to a PersistentVolume: a node may only set which of its ActualVolumes mounted it last. */
        private void mounted() {
            require(
                    isRelated(target.key()),
                    "can only update volumes of claims of pods with spec.nodeName set to itself");
            requireMetadataUnchanged(LABELS);
            requireAnnotationsUnchangedExcept(StorageNames.LAST_MOUNTED_BY);
            require(
                    JsonFields.same(JsonFields.get(next, "status"), JsonFields.get(before, "status")),
                    "is not allowed to modify the status of persistentvolumes");
            if (changedKeys(ANNOTATIONS).isEmpty()) {
                return;
            }
            String actual = JsonFields.text(JsonFields.get(next, "metadata", ANNOTATIONS), StorageNames.LAST_MOUNTED_BY)
                    .split(" ", 2)[0];
            require(
                    key(StorageNames.ACTUAL_VOLUMES, "", actual)
                            .filter(this::isRelated)
                            .isPresent(),
                    "can only set " + StorageNames.LAST_MOUNTED_BY + " to an actualvolume of itself");
        }

        private void attached() {
            requireAssigned("spec", "nodeName", "can only modify volumeattachments with spec.nodeName set to itself");
            require(
                    JsonFields.text(before, "spec", "attacher").equals(StorageNames.BLOCK_DRIVER),
                    "can only modify volumeattachments whose attacher is " + StorageNames.BLOCK_DRIVER);
            requireMetadataUnchanged(LABELS, ANNOTATIONS);
            require(
                    otherFinalizers(next).equals(otherFinalizers(before)),
                    "can only add or remove the finalizer " + StorageNames.BLOCK_ATTACHER);
        }

        private Set<String> otherFinalizers(ObjectNode object) {
            Set<String> finalizers = new HashSet<>();
            JsonFields.get(object, "metadata", FINALIZERS).forEach(each -> finalizers.add(each.asText("")));
            finalizers.remove(StorageNames.BLOCK_ATTACHER);
            return finalizers;
        }

        /**
         * Checks a DesiredVolume or ActualVolume, which protects its PersistentVolume and reserves it against other
         * nodes.
         */
        private void requireOwnVolume() {
            for (ObjectNode each : isNew() ? List.of(next) : List.of(before, next)) {
                require(
                        JsonFields.text(each, "spec", "node").equals(node),
                        "can only write " + target.kind().names().plural() + " with spec.node set to itself");
            }
            String volume = JsonFields.text(next, "spec", "persistentVolume");
            require(
                    volume.isEmpty()
                            || (!isNew() && isKept("spec", "persistentVolume"))
                            || key(StorageNames.VOLUMES, "", volume)
                                    .filter(this::isRelated)
                                    .isPresent(),
                    "can only name persistentvolumes of claims of pods with spec.nodeName set to itself");
        }

        private void newDesiredVolume() {
            requireOwnVolume();
            JsonNode reference = JsonFields.get(next, "spec", "pod");
            Optional<Pod> pod = key("pods", JsonFields.text(reference, "namespace"), JsonFields.text(reference, "name"))
                    .filter(this::isRelated)
                    .flatMap(world::get)
                    .map(Pod::of)
                    .filter(each -> each.uid().equals(JsonFields.text(reference, "uid")));
            require(pod.isPresent(), "can only create desiredvolumes for pods with spec.nodeName set to itself");
            requireName(DesiredVolume.key(pod.get(), JsonFields.text(next, "spec", "volumeName")));
        }

        private void newActualVolume() {
            requireOwnVolume();
            String readable = name().substring(0, Math.max(0, name().lastIndexOf('.')));
            requireName(ActualVolume.key(node, JsonFields.text(next, "spec", "volume"), readable));
        }

        /**
         * Requires the expected name. Names contain a hash of their content, so that no node takes a name that another
         * node needs.
         */
        private void requireName(ObjectKey expected) {
            require(expected.name().equals(name()), "can only create this object with the name " + expected.name());
        }

        private Optional<ObjectKey> key(String resource, String namespace, String name) {
            try {
                return KindResources.ofResource(resource).map(kind -> kind.key(namespace, name));
            } catch (IllegalArgumentException e) {
                return Optional.empty(); // no object can have this name
            }
        }
    }
}
