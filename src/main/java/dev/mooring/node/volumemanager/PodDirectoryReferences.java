package dev.mooring.node.volumemanager;

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
 * The objects that reference a Pod's directory on a node: the Pod itself, on any node, and the node's DesiredVolumes
 * and ActualVolumes for it, even if the Pod is gone. Written by one thread; {@link #isReferenced} may be called by any
 * thread.
 */
final class PodDirectoryReferences {
    static final String PODS = "pods";

    private static final List<String> RESOURCES =
            List.of(PODS, StorageNames.DESIRED_VOLUMES, StorageNames.ACTUAL_VOLUMES);

    private final Map<ObjectKey, Set<String>> uidsByObject = new HashMap<>();
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    /** Returns the scopes of all objects that can have references. */
    static List<Scope> scopes() {
        return RESOURCES.stream().map(Scope::resource).toList();
    }

    /** Returns the UIDs of the Pods that an object references. */
    static Set<String> uids(StoredObject object, String node) {
        Set<String> uids = new HashSet<>();
        if (object.key().resource().equals(PODS)) {
            uids.add(StoredJson.uid(object));
        } else if (object.containsText(node)) {
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

    /** Returns all referenced UIDs in a World. Iterates over all objects. */
    static Set<String> uids(World world, String node) {
        Set<String> uids = new HashSet<>();
        for (Scope scope : scopes()) {
            world.list(scope).forEach(each -> uids.addAll(uids(each, node)));
        }
        return uids;
    }

    /**
     * Sets the references of an object.
     *
     * @return UIDs that are no longer referenced
     */
    Set<String> put(ObjectKey key, Set<String> uids) {
        Set<String> before = uids.isEmpty() ? uidsByObject.remove(key) : uidsByObject.put(key, uids);
        Set<String> free = new HashSet<>();
        // Adds first, so that a UID whose reference moves between objects is never unreferenced.
        uids.forEach(uid -> counts.merge(uid, 1, Integer::sum));
        for (String uid : before == null ? Set.<String>of() : before) {
            if (counts.computeIfPresent(uid, (unused, count) -> count == 1 ? null : count - 1) == null) {
                free.add(uid);
            }
        }
        return free;
    }

    boolean isReferenced(String podUid) {
        return counts.containsKey(podUid);
    }
}
