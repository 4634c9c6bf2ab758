package dev.mooring.node.monitor;

import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.volume.RemoteServers;
import dev.mooring.world.Index;
import dev.mooring.world.NodeValue;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.List;

/** Presents the volumes of a node that are on servers, in a World, by their server. Immutable. */
record RemoteVolumes(String node, World world) {
    private static final Index<NodeValue<String>> BY_SERVER = Index.of(
            "ActualVolumes by plugin and server", Scope.resource(StorageNames.ACTUAL_VOLUMES), RemoteVolumes::servers);

    /** Returns whether an ActualVolume may be on a server. Does not parse it. */
    static boolean mayBeRemote(StoredObject object) {
        return SourceTypes.mayHave(object, type -> type.serverKind().isPresent());
    }

    private static List<NodeValue<String>> servers(StoredObject object) {
        if (!mayBeRemote(object)) {
            return List.of();
        }
        ActualVolume volume = ActualVolume.of(object);
        String server = server(volume);
        return server.isEmpty() ? List.of() : List.of(new NodeValue<>(volume.node(), value(volume.plugin(), server)));
    }

    /** Returns the volumes of a plugin on a server. */
    List<ActualVolume> of(String plugin, String server) {
        return world.find(BY_SERVER, new NodeValue<>(node, value(plugin, server))).stream()
                .map(ActualVolume::of)
                .toList();
    }

    private static String value(String plugin, String server) {
        return plugin + ' ' + server;
    }

    /** Returns the servers of a plugin's volumes, by name. */
    List<String> servers(String plugin) {
        String prefix = value(plugin, "");
        return ofNode().all()
                .map(each -> each.value().value())
                .filter(each -> each.startsWith(prefix))
                .map(each -> each.substring(prefix.length()))
                .distinct()
                .toList();
    }

    /** Returns the key of the volume's server in {@link RemoteServers}; "" if it has none. */
    static String server(ActualVolume volume) {
        return RemoteServers.key(SourceTypes.server(volume.source()));
    }

    /**
     * Returns how often to inspect each volume: less often if there are very many, because each inspection costs a child
     * process.
     */
    Duration interval(Duration shortest, Duration perVolume) {
        Duration round = perVolume.multipliedBy(ofNode().size());
        return round.compareTo(shortest) > 0 ? round : shortest;
    }

    private Index.Entries<NodeValue<String>> ofNode() {
        return NodeValue.entriesOf(node, world.index(BY_SERVER));
    }
}
