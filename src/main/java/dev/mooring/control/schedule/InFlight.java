package dev.mooring.control.schedule;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Scheduling decisions that are not committed yet. Many Pods are reconciled on one World; without this, they would all
 * choose the same volume or fill the same node. Each decision was made for one Pod. It is forgotten when that Pod is
 * reconciled again (its proposals have been answered) or when a change of the affected object is delivered (the World
 * shows the result).
 *
 * <p>Not thread-safe.
 */
final class InFlight {
    private record AssumedPod(long revision, String node, PodResourceRequest needs, Set<ObjectKey> claims) {}

    private record AssumedVolume(ObjectKey pod, long revision) {}

    /** @param node where a volume is to be provisioned; empty if the claim gets an existing one */
    private record AssumedClaim(
            ObjectKey pod, long revision, Optional<String> node, String provisioner, Quantity request) {}

    /** A Pod that is about to be bound to a node. */
    record Holder(ObjectKey pod, String node) {}

    private final Map<ObjectKey, AssumedPod> assumedPods = new HashMap<>();
    private final NodeAllocations allocations = new NodeAllocations();
    private final Map<ObjectKey, AssumedVolume> volumes = new HashMap<>();
    private final Map<ObjectKey, AssumedClaim> claims = new HashMap<>();
    private final Map<ObjectKey, Set<ObjectKey>> byPod = new HashMap<>();

    /** Records that the Pod is about to be bound to the node. */
    void place(Pod pod, String node, PodResourceRequest needs) {
        assumedPods.put(pod.key(), new AssumedPod(pod.revision(), node, needs, Set.copyOf(pod.claimKeys())));
        allocations.add(node, needs);
        track(pod, pod.key());
    }

    /** Records that the claim is about to be bound to the volume, for the Pod. */
    void bind(Pod pod, Claim claim, Volume volume) {
        volumes.put(volume.key(), new AssumedVolume(pod.key(), volume.revision()));
        claims.put(claim.key(), new AssumedClaim(pod.key(), claim.revision(), Optional.empty(), "", Quantity.ZERO));
        track(pod, volume.key());
        track(pod, claim.key());
    }

    /** Records that the node is about to be selected for the claim, for the Pod. */
    void select(Pod pod, PodClaims.WaitingClaim waiting, String node) {
        Claim claim = waiting.claim();
        claims.put(
                claim.key(),
                new AssumedClaim(
                        pod.key(),
                        claim.revision(),
                        Optional.of(node),
                        waiting.storageClass().provisioner(),
                        claim.request()));
        track(pod, claim.key());
    }

    private void track(Pod pod, ObjectKey object) {
        byPod.computeIfAbsent(pod.key(), key -> new HashSet<>()).add(object);
    }

    /** Forgets the decisions for a Pod that is reconciled again or gone: they have been answered. */
    void forgetPod(ObjectKey pod) {
        Set<ObjectKey> objects = byPod.get(pod);
        if (objects != null) {
            List.copyOf(objects).forEach(object -> forget(object, Long.MAX_VALUE));
        }
    }

    /**
     * Forgets decisions about an object that changed. Returns whether there were any. A change that is older than the
     * decision is ignored.
     */
    boolean forget(StoredObject object) {
        return forget(object.key(), object.revision());
    }

    private boolean forget(ObjectKey object, long revision) {
        AssumedPod assumedPod = assumedPods.get(object);
        if (assumedPod != null && assumedPod.revision() < revision) {
            assumedPods.remove(object);
            allocations.remove(assumedPod.node(), assumedPod.needs());
            untrack(object, object);
            return true;
        }
        AssumedVolume assumedVolume = volumes.get(object);
        if (assumedVolume != null && assumedVolume.revision() < revision) {
            volumes.remove(object);
            untrack(assumedVolume.pod(), object);
            return true;
        }
        AssumedClaim assumedClaim = claims.get(object);
        if (assumedClaim != null && assumedClaim.revision() < revision) {
            claims.remove(object);
            untrack(assumedClaim.pod(), object);
            return true;
        }
        return false;
    }

    private void untrack(ObjectKey pod, ObjectKey object) {
        byPod.computeIfPresent(pod, (key, objects) -> {
            objects.remove(object);
            return objects.isEmpty() ? null : objects;
        });
    }

    boolean isEmpty() {
        return byPod.isEmpty();
    }

    /** Returns whether a claim is about to be bound to the volume. */
    boolean isVolumeAssumed(StoredObject volume) {
        AssumedVolume assumedVolume = volumes.get(volume.key());
        return assumedVolume != null && assumedVolume.revision() == volume.revision();
    }

    /** Returns whether the claim is about to get a volume or a selected node. */
    boolean isClaimAssumed(Claim claim) {
        AssumedClaim assumedClaim = claims.get(claim.key());
        return assumedClaim != null && assumedClaim.revision() == claim.revision();
    }

    /**
     * Returns a Pod that uses the claim and is about to be bound to a node. Scans the decisions, which the loop's limit
     * keeps few.
     */
    Optional<Holder> holder(ObjectKey claim) {
        return assumedPods.entrySet().stream()
                .filter(each -> each.getValue().claims().contains(claim))
                .map(each -> new Holder(each.getKey(), each.getValue().node()))
                .findFirst();
    }

    NodeAllocation allocation(String node) {
        return allocations.of(node);
    }

    /** Returns the storage that is about to be requested from a provisioner on a node, and is not yet in the World. */
    Quantity requestedStorage(World world, String node, String provisioner) {
        Quantity sum = Quantity.ZERO;
        for (Map.Entry<ObjectKey, AssumedClaim> each : claims.entrySet()) {
            AssumedClaim assumed = each.getValue();
            boolean committed = world.get(each.getKey())
                    .filter(claim -> claim.revision() > assumed.revision())
                    .isPresent();
            if (!committed
                    && assumed.node().filter(node::equals).isPresent()
                    && assumed.provisioner().equals(provisioner)) {
                sum = sum.plus(assumed.request());
            }
        }
        return sum;
    }
}
