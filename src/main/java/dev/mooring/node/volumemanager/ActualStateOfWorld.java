package dev.mooring.node.volumemanager;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.List;
import java.util.Optional;

/**
 * The volumes that a node has attached and mounted, as the kubelet's store of the same name: presents the ActualVolume
 * objects of a World by key and by PersistentVolume. The {@link OperationRecorder} maintains the objects. Immutable.
 *
 * @param node name of the node
 */
record ActualStateOfWorld(String node, World world) {
    private static final Index<String> BY_NODE = Index.of(
            "ActualVolumes by node",
            Scope.resource(StorageNames.ACTUAL_VOLUMES),
            object -> List.of(ActualVolume.of(object).node()));

    /** Returns the ActualVolumes of this node. */
    List<ActualVolume> list() {
        return world.find(BY_NODE, node).stream().map(ActualVolume::of).toList();
    }

    /** Returns an ActualVolume of this node. */
    Optional<ActualVolume> get(ObjectKey key) {
        return world.get(key).map(ActualVolume::of).filter(this::isOnThisNode);
    }

    boolean isOnThisNode(ActualVolume volume) {
        return volume.node().equals(node);
    }

    /** Returns the ActualVolumes of a PersistentVolume on all nodes. */
    List<ActualVolume> volumesOfPersistentVolume(String persistentVolume) {
        return Volume.keyIfValid(persistentVolume).stream()
                .flatMap(key -> world.find(Indexes.ACTUAL_VOLUMES_BY_REFERENCE, key).stream())
                .map(ActualVolume::of)
                .toList();
    }

    /** Returns the VolumeAttachment that decides whether this node may have a volume; empty for volumes without one. */
    Optional<StoredObject> attachment(String volume) {
        return CsiNames.attachment(volume, node)
                .map(name -> ObjectKey.clusterWide(StorageNames.ATTACHMENTS, name))
                .flatMap(world::get);
    }
}
