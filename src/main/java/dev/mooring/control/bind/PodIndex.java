package dev.mooring.control.bind;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which Pods use a claim. Knows what it was told; the World may be newer. For one thread. */
final class PodIndex {
    private final Map<ObjectKey, Set<ObjectKey>> byClaim = new HashMap<>();
    private final Map<ObjectKey, List<ObjectKey>> claimsOf = new HashMap<>();

    /** @return the claims that were or are used */
    Set<ObjectKey> follow(Change change) {
        Set<ObjectKey> touched = new TreeSet<>();
        List<ObjectKey> before = claimsOf.remove(change.key());
        if (before != null) {
            touched.addAll(before);
            before.forEach(claim -> byClaim.computeIfPresent(claim, (key, pods) -> {
                pods.remove(change.key());
                return pods.isEmpty() ? null : pods;
            }));
        }
        if (!change.isRemoval()) {
            List<ObjectKey> claims = Pod.of(change.object()).claimKeys();
            if (!claims.isEmpty()) {
                claimsOf.put(change.key(), claims);
                claims.forEach(claim ->
                        byClaim.computeIfAbsent(claim, key -> new TreeSet<>()).add(change.key()));
                touched.addAll(claims);
            }
        }
        return touched;
    }

    /** The Pods that use a claim and have not ended, as the World has them. */
    List<Pod> using(World world, ObjectKey claim) {
        return byClaim.getOrDefault(claim, Set.of()).stream()
                .flatMap(key -> world.get(key).stream())
                .map(Pod::of)
                .filter(pod -> !pod.isFinished() && pod.claimKeys().contains(claim))
                .toList();
    }
}
