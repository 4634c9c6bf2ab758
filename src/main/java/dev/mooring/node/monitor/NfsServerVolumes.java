package dev.mooring.node.monitor;

import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Index;
import dev.mooring.world.NodeValue;
import dev.mooring.world.World;
import java.util.List;

/** Presents the NFS volumes of a node in a World by their server. Immutable. */
record NfsServerVolumes(String node, World world) {
    private static final Index<NodeValue<String>> BY_SERVER = Index.of(
            "ActualVolumes by NFS server", Scope.resource(StorageNames.ACTUAL_VOLUMES), NfsServerVolumes::servers);

    private static List<NodeValue<String>> servers(StoredObject object) {
        if (!object.containsText("\"nfs\"")) {
            return List.of();
        }
        ActualVolume volume = ActualVolume.of(object);
        String server = MountProber.server(volume);
        return server.isEmpty() ? List.of() : List.of(new NodeValue<>(volume.node(), server));
    }

    List<ActualVolume> of(String server) {
        return world.find(BY_SERVER, new NodeValue<>(node, server)).stream()
                .map(ActualVolume::of)
                .toList();
    }

    /** Returns the servers, by name. */
    List<String> servers() {
        return ofNode().all().map(each -> each.value().value()).distinct().toList();
    }

    /** Returns the number of volumes. */
    int count() {
        return ofNode().size();
    }

    private Index.Entries<NodeValue<String>> ofNode() {
        return NodeValue.entriesOf(node, world.index(BY_SERVER));
    }
}
