package dev.mooring.control.schedule;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What has been decided and is on its way to the log. Many Pods are looked at upon one World; without this they would all choose the same
 * volume or fill the same node. Whatever is in here was decided for one Pod, and is forgotten when that Pod is looked at again (then its
 * proposals have been answered) or when a change of the object it is about is told (then the World shows what came of it).
 *
 * <p>For one thread.
 */
final class InFlight {
    private record Placing(long revision, String node, Needs needs, Set<ObjectKey> claims) {}

    private record Promise(ObjectKey pod, long revision) {}

    /** @param node where a volume is to be made; nothing if the claim gets one that is there */
    private record Serving(ObjectKey pod, long revision, Optional<String> node, String provisioner, Quantity request) {}

    /** A Pod that is about to be on a node. */
    record Holder(ObjectKey pod, String node) {}

    private final Map<ObjectKey, Placing> placings = new HashMap<>();
    private final Map<String, NodeUse> uses = new HashMap<>();
    private final Map<ObjectKey, Promise> volumes = new HashMap<>();
    private final Map<ObjectKey, Serving> claims = new HashMap<>();
    private final Map<ObjectKey, Set<ObjectKey>> byPod = new HashMap<>();

    /** The Pod is about to be on the node. */
    void place(Pod pod, String node, Needs needs) {
        placings.put(pod.key(), new Placing(pod.revision(), node, needs, Set.copyOf(pod.claimKeys())));
        uses.computeIfAbsent(node, name -> new NodeUse()).add(needs);
        note(pod, pod.key());
    }

    /** The claim is about to get the volume, for the Pod. */
    void bind(Pod pod, Claim claim, Volume volume) {
        volumes.put(volume.key(), new Promise(pod.key(), volume.revision()));
        claims.put(claim.key(), new Serving(pod.key(), claim.revision(), Optional.empty(), "", Quantity.ZERO));
        note(pod, volume.key());
        note(pod, claim.key());
    }

    /** The node is about to be selected for the claim, for the Pod. */
    void select(Pod pod, PodClaims.Waiting waiting, String node) {
        Claim claim = waiting.claim();
        claims.put(
                claim.key(),
                new Serving(
                        pod.key(),
                        claim.revision(),
                        Optional.of(node),
                        waiting.storageClass().provisioner(),
                        claim.request()));
        note(pod, claim.key());
    }

    private void note(Pod pod, ObjectKey object) {
        byPod.computeIfAbsent(pod.key(), key -> new HashSet<>()).add(object);
    }

    /** The Pod is looked at again, or gone: what was decided for it has been answered. */
    void forgetPod(ObjectKey pod) {
        Set<ObjectKey> objects = byPod.get(pod);
        if (objects != null) {
            List.copyOf(objects).forEach(object -> forget(object, Long.MAX_VALUE));
        }
    }

    /** An object has changed; whether that ended anything. What was known when something was decided does not. */
    boolean forget(StoredObject object) {
        return forget(object.key(), object.revision());
    }

    private boolean forget(ObjectKey object, long revision) {
        Placing placing = placings.get(object);
        if (placing != null && placing.revision() < revision) {
            placings.remove(object);
            uses.computeIfPresent(placing.node(), (name, use) -> {
                use.remove(placing.needs());
                return use.pods() == 0 ? null : use;
            });
            unnote(object, object);
            return true;
        }
        Promise promise = volumes.get(object);
        if (promise != null && promise.revision() < revision) {
            volumes.remove(object);
            unnote(promise.pod(), object);
            return true;
        }
        Serving serving = claims.get(object);
        if (serving != null && serving.revision() < revision) {
            claims.remove(object);
            unnote(serving.pod(), object);
            return true;
        }
        return false;
    }

    private void unnote(ObjectKey pod, ObjectKey object) {
        byPod.computeIfPresent(pod, (key, objects) -> {
            objects.remove(object);
            return objects.isEmpty() ? null : objects;
        });
    }

    boolean isEmpty() {
        return byPod.isEmpty();
    }

    /** Whether a claim is about to get it. */
    boolean isPromised(StoredObject volume) {
        Promise promise = volumes.get(volume.key());
        return promise != null && promise.revision() == volume.revision();
    }

    /** Whether the claim is about to get a volume or a node. */
    boolean isServed(Claim claim) {
        Serving serving = claims.get(claim.key());
        return serving != null && serving.revision() == claim.revision();
    }

    /** Those that are about to be on a node with a claim. As many proposals are on their way as the loop allows, which is few. */
    Optional<Holder> holder(ObjectKey claim) {
        return placings.entrySet().stream()
                .filter(each -> each.getValue().claims().contains(claim))
                .map(each -> new Holder(each.getKey(), each.getValue().node()))
                .findFirst();
    }

    NodeUse use(String node) {
        return uses.getOrDefault(node, NodeUse.NONE);
    }

    /** How much is about to be asked of a provisioner on a node. */
    Quantity asked(String node, String provisioner) {
        Quantity sum = Quantity.ZERO;
        for (Serving each : claims.values()) {
            if (each.node().filter(node::equals).isPresent()
                    && each.provisioner().equals(provisioner)) {
                sum = sum.plus(each.request());
            }
        }
        return sum;
    }
}
