package dev.mooring.control.provision;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.VolumeOperation;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The operations under way by their nodes and by the volumes they make. Knows what it was told; used only to wake. For one thread. */
final class OperationIndex {
    private record Place(String node, String volume) {}

    private final Map<ObjectKey, Place> places = new HashMap<>();
    private final Map<String, Set<ObjectKey>> byNode = new HashMap<>();
    private final Map<String, Set<ObjectKey>> byVolume = new HashMap<>();

    void follow(Change change) {
        ObjectKey key = change.key();
        Place before = places.remove(key);
        if (before != null) {
            drop(byNode, before.node(), key);
            drop(byVolume, before.volume(), key);
        }
        if (!change.isRemoval()) {
            VolumeOperation operation = VolumeOperation.of(change.object());
            Place place = new Place(operation.node(), operation.volume());
            places.put(key, place);
            byNode.computeIfAbsent(place.node(), name -> new LinkedHashSet<>()).add(key);
            byVolume.computeIfAbsent(place.volume(), name -> new LinkedHashSet<>())
                    .add(key);
        }
    }

    private static void drop(Map<String, Set<ObjectKey>> index, String name, ObjectKey key) {
        index.computeIfPresent(name, (unused, keys) -> {
            keys.remove(key);
            return keys.isEmpty() ? null : keys;
        });
    }

    Collection<ObjectKey> ofNode(String node) {
        return byNode.getOrDefault(node, Set.of());
    }

    Collection<ObjectKey> ofVolume(String volume) {
        return byVolume.getOrDefault(volume, Set.of());
    }

    /** The nodes that have something to do. */
    List<String> nodes() {
        return List.copyOf(byNode.keySet());
    }
}
