package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Where the mounts of a Pod may be: the ActualVolumes that had one, and those that its DesiredVolumes ask for. The latter makes up for an
 * ActualVolume that was not told yet: it comes long after its DesiredVolume. What it says is always read from the World it is asked with.
 * For one thread.
 */
final class PodMounts {
    private final Map<String, Set<ObjectKey>> places = new HashMap<>();

    /** Takes a change of an ActualVolume. */
    void actual(Change change, Optional<StoredObject> before) {
        Set<String> left = new HashSet<>();
        before.ifPresent(was -> uids(was, left::add));
        if (change.isRemoval()) {
            uids(change.object(), left::add);
        } else {
            uids(change.object(), uid -> {
                left.remove(uid);
                places.computeIfAbsent(uid, unused -> new HashSet<>()).add(change.key());
            });
        }
        left.forEach(uid -> places.computeIfPresent(uid, (unused, keys) -> without(keys, change.key())));
    }

    private static Set<ObjectKey> without(Set<ObjectKey> keys, ObjectKey key) {
        keys.remove(key);
        return keys.isEmpty() ? null : keys;
    }

    private static void uids(StoredObject actualVolume, Consumer<String> found) {
        for (JsonNode mount : StoredJson.tree(actualVolume).path("status").path("mounts")) {
            found.accept(mount.path("pod").path("uid").asText(""));
        }
    }

    /** Takes a change of a DesiredVolume. */
    void desired(DesiredVolume desired, Change change, World world) {
        String uid = desired.pod().uid();
        if (!change.isRemoval()) {
            desired.counterpart()
                    .ifPresent(key -> places.computeIfAbsent(uid, unused -> new HashSet<>())
                            .add(key));
        } else if (world.get(Pod.key(desired.pod().namespace(), desired.pod().name()))
                .filter(pod -> StoredJson.uid(pod).equals(uid))
                .isEmpty()) {
            forget(uid);
        }
    }

    /** Nobody will ask for this Pod any more. */
    void forget(String podUid) {
        places.remove(podUid);
    }

    boolean has(World world, Pod pod) {
        for (ObjectKey key : places.getOrDefault(pod.uid(), Set.of())) {
            if (world.get(key)
                    .map(ActualVolume::of)
                    .flatMap(each -> each.mountFor(pod.uid()))
                    .isPresent()) {
                return true;
            }
        }
        return false;
    }
}
