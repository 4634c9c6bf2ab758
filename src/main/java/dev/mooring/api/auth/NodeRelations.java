package dev.mooring.api.auth;

import dev.mooring.model.FieldPath;
import dev.mooring.model.FieldSelector;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectFields;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Indexes;
import dev.mooring.world.NodeValue;
import dev.mooring.world.World;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Determines which objects relate to a node, like Kubernetes' node authorizer: its Node and Lease, objects assigned to
 * it (Pods, VolumeOperations, DesiredVolumes, ActualVolumes, VolumeAttachments), objects that its Pods reference
 * (Secrets, ConfigMaps, claims, ServiceAccounts), and the PersistentVolumes of these claims or of its operations. An
 * object that does not exist relates to no node. Stateless; thread-safe.
 */
public final class NodeRelations {
    private static final String NODES = "nodes";
    private static final String LEASES = "leases.coordination.k8s.io";
    private static final String LEASE_NAMESPACE = "kube-node-lease";

    /** Field with the node that an object is assigned to, by resource. */
    private static final Map<String, String> NODE_FIELDS = Map.of(
            "pods",
            "spec.nodeName",
            StorageNames.ATTACHMENTS,
            "spec.nodeName",
            StorageNames.OPERATIONS,
            "spec.node",
            StorageNames.DESIRED_VOLUMES,
            "spec.node",
            StorageNames.ACTUAL_VOLUMES,
            "spec.node");

    private static final ObjectFields NODE_NAMES =
            ObjectFields.at(List.of(FieldPath.of("spec.nodeName"), FieldPath.of("spec.node")));

    private NodeRelations() {}

    /** Returns whether an object relates to a node. */
    public static boolean isRelated(World world, String node, ObjectKey key) {
        return switch (key.resource()) {
            case NODES -> key.name().equals(node);
            case LEASES -> key.name().equals(node) && key.namespace().orElse("").equals(LEASE_NAMESPACE);
            case "secrets", "configmaps", "serviceaccounts", StorageNames.CLAIMS -> isReferenced(world, node, key);
            case StorageNames.VOLUMES ->
                world.get(key)
                        .map(Volume::of)
                        .filter(volume -> isClaimed(world, node, volume) || hasOperation(world, node, volume))
                        .isPresent();
            default ->
                NODE_FIELDS.containsKey(key.resource())
                        && world.get(key)
                                .filter(object -> isAssigned(node, object))
                                .isPresent();
        };
    }

    /** Returns whether an object of a resource that is assigned to nodes names this node. */
    public static boolean isAssigned(String node, StoredObject object) {
        String field = NODE_FIELDS.get(object.key().resource());
        return field != null
                && NODE_NAMES
                        .read(object.json())
                        .get(field.equals("spec.nodeName") ? 0 : 1)
                        .equals(node);
    }

    /** Returns whether a Pod on the node names the object. */
    private static boolean isReferenced(World world, String node, ObjectKey key) {
        return !world.index(Indexes.PODS_BY_REFERENCE)
                .keys(new NodeValue<>(node, key))
                .isEmpty();
    }

    /** Returns whether the volume is bound to a claim that a Pod on the node uses. */
    private static boolean isClaimed(World world, String node, Volume volume) {
        return volume.claimRef()
                .filter(ClaimRef::hasUid) // only the controller sets the uid: the reference identifies an object
                .flatMap(reference -> world.get(reference.key())
                        .map(Claim::of)
                        .filter(claim -> reference.admits(claim)
                                && claim.volumeName().equals(volume.name())
                                && isReferenced(world, node, claim.key())))
                .isPresent();
    }

    /**
     * Returns whether an operation of the node concerns the volume. Controllers name operations on a volume by its uid.
     */
    private static boolean hasOperation(World world, String node, Volume volume) {
        for (VolumeOperation.OperationType work : VolumeOperation.OperationType.values()) {
            String name = work.toString().toLowerCase(Locale.ROOT) + '-' + volume.uid();
            if (world.get(VolumeOperation.key(name))
                    .map(VolumeOperation::of)
                    .filter(operation ->
                            operation.node().equals(node) && operation.volume().equals(volume.name()))
                    .isPresent()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether a request only concerns objects that relate to a node: one by name, or those selected by the node
     * field.
     */
    static boolean covers(World world, String node, Attributes.Resource wanted) {
        Optional<String> name = wanted.name();
        if (name.isEmpty() && wanted.isCollectionRead()) {
            if (nodeField(wanted)
                    .filter(field -> equal(wanted.fields(), field).equals(Optional.of(node)))
                    .isPresent()) {
                return true;
            }
            name = equal(wanted.fields(), "metadata.name");
        }
        return name.flatMap(each -> key(wanted, each))
                .filter(key -> isRelated(world, node, key))
                .isPresent();
    }

    /**
     * Returns why a node is denied objects that its role allows in principle, with Kubernetes' message where it has
     * one.
     */
    static String refusal(String node, Attributes.Resource wanted) {
        if (wanted.name().isEmpty() && wanted.isCollectionRead()) {
            return nodeField(wanted)
                    .map(field -> "can only list/watch " + wanted.resource() + " with " + field + " field selector")
                    .orElse("can only list/watch a single object, with metadata.name field selector");
        }
        return "no relationship found between node '" + node + "' and this object";
    }

    private static Optional<String> nodeField(Attributes.Resource wanted) {
        return Optional.ofNullable(NODE_FIELDS.get(wanted.storedResource()));
    }

    private static Optional<String> equal(FieldSelector fields, String field) {
        return fields.requirements().stream()
                .filter(each -> each.operator() == FieldSelector.Operator.EQUALS
                        && each.field().equals(field))
                .map(FieldSelector.Requirement::value)
                .findFirst();
    }

    private static Optional<ObjectKey> key(Attributes.Resource wanted, String name) {
        try {
            return KindResources.ofResource(wanted.storedResource())
                    .map(kind -> kind.key(wanted.namespace().orElse(""), name));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // no object can have this name
        }
    }
}
