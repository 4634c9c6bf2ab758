package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The attachment-related fields of a PersistentVolume that requires attachment.
 *
 * @param claim the claim it is bound to, with uid; empty if it is unbound
 */
record CsiVolume(String driver, String handle, Sharing sharing, Optional<ClaimRef> claim) {
    /** How many nodes may have the volume at the same time. */
    enum Sharing {
        ONE_NODE,
        MANY_NODES
    }

    static Optional<CsiVolume> of(StoredObject stored) {
        if (!stored.containsText("volumeHandle")) {
            return Optional.empty();
        }
        Volume volume = Volume.of(stored);
        JsonNode csi = volume.spec().path("csi");
        String driver = csi.path("driver").asText("");
        String handle = csi.path("volumeHandle").asText("");
        if (driver.isEmpty() || handle.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new CsiVolume(
                driver, handle, sharing(volume.accessModes()), volume.claimRef().filter(ClaimRef::hasUid)));
    }

    /** Derives the sharing from the access modes. A volume without access modes may be shared; its driver decides. */
    private static Sharing sharing(AccessModes modes) {
        return modes.count() == 0 || modes.allowsManyNodes() ? Sharing.MANY_NODES : Sharing.ONE_NODE;
    }

    /** Returns the volumes that require attachment and are bound to a claim. */
    static List<ObjectKey> boundTo(World world, ObjectKey claim) {
        return world.find(Indexes.VOLUMES_BY_CLAIM, claim).stream()
                .filter(stored -> of(stored).flatMap(CsiVolume::claim).isPresent())
                .map(StoredObject::key)
                .toList();
    }

    /** Returns the Pods that need the volume, by node, oldest first. */
    Map<String, List<Pod>> users(World world) {
        Map<String, List<Pod>> users = new TreeMap<>();
        Optional<ObjectKey> bound = claim.filter(reference -> world.get(reference.key())
                        .filter(found -> StoredJson.uid(found).equals(reference.uid()))
                        .isPresent())
                .map(ClaimRef::key);
        if (bound.isPresent()) {
            world.find(Indexes.PODS_BY_CLAIM, bound.get()).stream()
                    .filter(pod -> PodClaimUse.of(pod)
                            .filter(use -> use.needsVolumes(world))
                            .isPresent())
                    .map(Pod::of)
                    .sorted(Comparator.comparing(Pod::created))
                    .forEach(pod -> users.computeIfAbsent(pod.nodeName(), unused -> new ArrayList<>())
                            .add(pod));
        }
        return users;
    }

    String attachmentTo(String node) {
        return CsiNames.attachment(driver, handle, node);
    }

    String uniqueName() {
        return CsiNames.uniqueVolumeName(driver, handle);
    }
}
