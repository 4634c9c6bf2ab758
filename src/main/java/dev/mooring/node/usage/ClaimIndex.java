package dev.mooring.node.usage;

import dev.mooring.model.ObjectKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Which ActualVolumes are of which claim. Keys only: what is true is read from the World. For one thread. */
final class ClaimIndex {
    private final Map<ObjectKey, ObjectKey> claimOf = new HashMap<>();
    private final Map<ObjectKey, Set<ObjectKey>> volumesOf = new HashMap<>();

    /** Takes what an ActualVolume is of from now on; the claim it was of before. */
    Optional<ObjectKey> set(ObjectKey volume, Optional<ObjectKey> claim) {
        ObjectKey before = claim.isPresent() ? claimOf.put(volume, claim.get()) : claimOf.remove(volume);
        if (before != null && !claim.equals(Optional.of(before))) {
            volumesOf.computeIfPresent(before, (key, volumes) -> {
                volumes.remove(volume);
                return volumes.isEmpty() ? null : volumes;
            });
        }
        claim.ifPresent(
                key -> volumesOf.computeIfAbsent(key, unused -> new TreeSet<>()).add(volume));
        return Optional.ofNullable(before);
    }

    /** In the order of names, so that it is always the same one that is measured. */
    Set<ObjectKey> volumesOf(ObjectKey claim) {
        return volumesOf.getOrDefault(claim, Set.of());
    }
}
