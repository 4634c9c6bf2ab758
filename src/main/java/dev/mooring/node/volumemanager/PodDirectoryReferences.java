package dev.mooring.node.volumemanager;

import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Index;
import dev.mooring.world.NodeValue;
import dev.mooring.world.World;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The objects that reference a Pod's directory on a node: the Pod itself, on any node, and the node's DesiredVolumes
 * and ActualVolumes for it, even if the Pod is gone. Pure; any thread.
 */
final class PodDirectoryReferences {
    static final String PODS = "pods";

    /** Pods by their UID. Their node is not part of the value. */
    private static final Index<NodeValue<String>> PODS_BY_UID =
            Index.of("Pods by UID", Scope.resource(PODS), pod -> value("", StoredJson.uid(pod)));

    private static final Index<NodeValue<String>> DESIRED_VOLUMES_BY_POD = Index.of(
            "DesiredVolumes by Pod UID",
            Scope.resource(StorageNames.DESIRED_VOLUMES),
            PodDirectoryReferences::desiringPods);

    private static final List<Index<NodeValue<String>>> INDEXES =
            List.of(PODS_BY_UID, DESIRED_VOLUMES_BY_POD, PodVolumes.ACTUAL_VOLUMES_BY_POD);

    private PodDirectoryReferences() {}

    private static List<NodeValue<String>> value(String node, String uid) {
        return uid.isEmpty() ? List.of() : List.of(new NodeValue<>(node, uid));
    }

    private static List<NodeValue<String>> desiringPods(StoredObject object) {
        DesiredVolume volume = DesiredVolume.of(object);
        return value(volume.node(), volume.pod().uid());
    }

    /** Returns the scopes of all objects that can have references. */
    static List<Scope> scopes() {
        return INDEXES.stream().map(Index::scope).toList();
    }

    /** Returns the UIDs that an object referenced before a change, or references after it. */
    static Set<String> affectedBy(Change change, Optional<StoredObject> before, String node) {
        return INDEXES.stream()
                .filter(index -> index.scope().contains(change.key()))
                .flatMap(index -> index.affectedBy(change, before).stream())
                .filter(each -> each.node().isEmpty() || each.node().equals(node))
                .map(NodeValue::value)
                .collect(Collectors.toSet());
    }

    static boolean isReferenced(World world, String node, String podUid) {
        return INDEXES.stream()
                .anyMatch(index -> Stream.of("", node)
                        .anyMatch(each -> !world.index(index)
                                .keys(new NodeValue<>(each, podUid))
                                .isEmpty()));
    }
}
