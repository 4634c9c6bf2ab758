package dev.mooring.node.volumemanager;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Index;
import dev.mooring.world.NodeValue;
import dev.mooring.world.World;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The volumes that the Pods of a node need, as the kubelet's store of the same name: presents the DesiredVolume objects
 * of a World by Pod, by ActualVolume and by PersistentVolume. The {@link Populator} maintains the objects, the
 * reconciler reads them. Immutable.
 *
 * @param node name of the node
 */
record DesiredStateOfWorld(String node, World world) {
    private static final Scope SCOPE = Scope.resource(StorageNames.DESIRED_VOLUMES);

    private static final Index<String> BY_NODE = Index.of(
            "DesiredVolumes by node",
            SCOPE,
            object -> List.of(DesiredVolume.of(object).node()));

    /** DesiredVolumes by their node and the Pod, the ActualVolume and the PersistentVolume that they name. */
    private static final Index<NodeValue<ObjectKey>> BY_REFERENCE =
            Index.of("DesiredVolumes by reference", SCOPE, DesiredStateOfWorld::references);

    private static List<NodeValue<ObjectKey>> references(StoredObject object) {
        DesiredVolume volume = DesiredVolume.of(object);
        return Stream.of(volume.pod().key(), volume.counterpart(), Volume.keyIfValid(volume.persistentVolume()))
                .flatMap(Optional::stream)
                .map(each -> new NodeValue<>(volume.node(), each))
                .toList();
    }

    /** The location of a volume's user. */
    enum HolderLocation {
        THIS_NODE,
        ANOTHER_NODE
    }

    /** Returns the DesiredVolumes of this node. */
    List<DesiredVolume> list() {
        return world.find(BY_NODE, node).stream().map(DesiredVolume::of).toList();
    }

    /**
     * Returns the objects of a resource that a DesiredVolume of this node named before a change or names after it: Pods
     * or ActualVolumes.
     */
    List<ObjectKey> affectedBy(Change change, Optional<StoredObject> before, String resource) {
        return BY_REFERENCE.affectedBy(change, before).stream()
                .filter(each ->
                        each.node().equals(node) && each.value().resource().equals(resource))
                .map(NodeValue::value)
                .toList();
    }

    /** Returns the DesiredVolumes of a Pod and of its predecessors with the same name. */
    List<DesiredVolume> volumesOfPod(ObjectKey pod) {
        return referrersOf(pod).toList();
    }

    /** Returns the mountable DesiredVolumes of an ActualVolume, ordered by name. */
    List<DesiredVolume> volumesOf(ObjectKey actual) {
        return referrersOf(actual).filter(DesiredVolume::isResolved).toList();
    }

    /** Returns the mountable DesiredVolumes of a PersistentVolume, the oldest first. */
    List<DesiredVolume> volumesOfPersistentVolume(String persistentVolume) {
        return ofPersistentVolume(persistentVolume)
                .filter(DesiredVolume::isResolved)
                .sorted(Comparator.comparing((DesiredVolume each) ->
                                each.spec().path("since").asText(""))
                        .thenComparing(DesiredVolume::name))
                .toList();
    }

    /** Returns the ActualVolumes of this node that are, or will be, of a PersistentVolume. */
    Set<ObjectKey> actualKeysOfPersistentVolume(String persistentVolume) {
        return ofPersistentVolume(persistentVolume)
                .flatMap(each -> each.counterpart().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Returns the ActualVolumes of this node that may wait for another user of a PersistentVolume.
     *
     * @param released location of the user that has released it
     */
    Set<ObjectKey> waitingFor(String persistentVolume, HolderLocation released) {
        // All DesiredVolumes of a PersistentVolume have its access modes.
        boolean waits = ofPersistentVolume(persistentVolume)
                .findFirst()
                .map(DesiredVolume::accessModes)
                .filter(modes ->
                        modes.isOncePod() || (released == HolderLocation.ANOTHER_NODE && !modes.allowsManyNodes()))
                .isPresent();
        return waits ? actualKeysOfPersistentVolume(persistentVolume) : Set.of();
    }

    private Stream<DesiredVolume> ofPersistentVolume(String name) {
        return Volume.keyIfValid(name).stream().flatMap(this::referrersOf);
    }

    private Stream<DesiredVolume> referrersOf(ObjectKey key) {
        return world.find(BY_REFERENCE, new NodeValue<>(node, key)).stream().map(DesiredVolume::of);
    }
}
