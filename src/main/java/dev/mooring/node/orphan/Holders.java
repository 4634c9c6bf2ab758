package dev.mooring.node.orphan;

import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which objects hold a Pod's directory on a node: the Pod itself, on whatever node it is, and the DesiredVolumes and ActualVolumes of the
 * node that are about it, whether or not there still is a Pod. Written by one thread; {@link #holds} may be asked by any.
 */
final class Holders {
    static final String PODS = "pods";

    private static final List<String> RESOURCES =
            List.of(PODS, StorageNames.DESIRED_VOLUMES, StorageNames.ACTUAL_VOLUMES);

    private final Map<ObjectKey, Set<String>> held = new HashMap<>();
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    /** The scopes of all objects that can hold one. */
    static List<Scope> scopes() {
        return RESOURCES.stream().map(Scope::resource).toList();
    }

    /** The uids of the Pods an object holds the directories of. */
    static Set<String> uids(StoredObject object, String node) {
        Set<String> uids = new HashSet<>();
        if (object.key().resource().equals(PODS)) {
            uids.add(StoredJson.uid(object));
        } else if (StoredJson.mentions(object, node)) {
            if (object.key().resource().equals(StorageNames.DESIRED_VOLUMES)) {
                DesiredVolume desired = DesiredVolume.of(object);
                if (desired.node().equals(node)) {
                    uids.add(desired.pod().uid());
                }
            } else {
                ActualVolume actual = ActualVolume.of(object);
                if (actual.node().equals(node)) {
                    actual.mounts().forEach(each -> uids.add(each.pod().uid()));
                }
            }
        }
        uids.remove("");
        return uids;
    }

    /** All that are held in a World. Costs as much as there is. */
    static Set<String> uids(World world, String node) {
        Set<String> uids = new HashSet<>();
        for (Scope scope : scopes()) {
            world.list(scope).forEach(each -> uids.addAll(uids(each, node)));
        }
        return uids;
    }

    /**
     * Takes what an object holds now.
     *
     * @return what nobody holds any more
     */
    Set<String> put(ObjectKey key, Set<String> uids) {
        Set<String> before = uids.isEmpty() ? held.remove(key) : held.put(key, uids);
        Set<String> free = new HashSet<>();
        // First those that come: who is held by something else meanwhile was never free.
        uids.forEach(uid -> counts.merge(uid, 1, Integer::sum));
        for (String uid : before == null ? Set.<String>of() : before) {
            if (counts.computeIfPresent(uid, (unused, count) -> count == 1 ? null : count - 1) == null) {
                free.add(uid);
            }
        }
        return free;
    }

    boolean holds(String podUid) {
        return counts.containsKey(podUid);
    }
}
