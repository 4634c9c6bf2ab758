package dev.mooring.control.bind;

import dev.mooring.control.Conditions;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Everything the binder was told of, so that it can find without searching. For one thread. */
final class Known {
    private final VolumeIndex volumes = new VolumeIndex();
    private final ClaimIndex claims = new ClaimIndex();
    private final PodIndex pods = new PodIndex();
    private final Map<String, Node> nodes = new TreeMap<>();
    private final Assumptions assumptions = new Assumptions();
    private final Map<String, Set<ClaimRef>> owners = new HashMap<>();
    private final Set<ObjectKey> newcomers = new HashSet<>();

    VolumeIndex volumes() {
        return volumes;
    }

    ClaimIndex claims() {
        return claims;
    }

    PodIndex pods() {
        return pods;
    }

    Assumptions assumptions() {
        return assumptions;
    }

    /** Takes in a change of a volume, and remembers who had it as long as they may still think so. */
    void followVolume(Change change, Optional<StoredObject> before) {
        volumes.follow(change);
        String name = change.key().name();
        if (change.isRemoval()) {
            owners.remove(name);
            return;
        }
        Optional<ClaimRef> owner = Volume.of(change.object()).claimRef();
        before.map(Volume::of)
                .flatMap(Volume::claimRef)
                .filter(ref -> ref.hasUid() && !owner.equals(Optional.of(ref)))
                .ifPresent(ref ->
                        owners.computeIfAbsent(name, unused -> new HashSet<>()).add(ref));
    }

    /** Whether a claim that nobody has written anything about is looked at for the first time. */
    boolean isNew(Claim claim) {
        return Conditions.find(claim.tree(), Bind.BOUND_CONDITION).isEmpty()
                && !claim.isBeingDeleted()
                && newcomers.add(claim.key());
    }

    /** Whether a volume that nobody has written anything about is looked at for the first time. */
    boolean isNew(Volume volume) {
        return (volume.phase().equals("Pending") || volume.phase().isEmpty())
                && !volume.isBeingDeleted()
                && newcomers.add(volume.key());
    }

    /** It has changed: whether it is new no longer matters. */
    void forgetNewcomer(ObjectKey key) {
        newcomers.remove(key);
    }

    /** Whether another claim was once bound to a volume and still says so, though the volume does not. It gets it back first. */
    boolean isAnothers(World world, Volume volume, Claim claim) {
        Set<ClaimRef> former = owners.getOrDefault(volume.name(), new HashSet<>());
        former.removeIf(ref -> world.get(ref.key())
                .map(Claim::of)
                .filter(each -> each.uid().equals(ref.uid()) && thinksItHas(each, volume))
                .isEmpty());
        return former.stream().anyMatch(ref -> !ref.uid().equals(claim.uid()))
                || claims.naming(volume.name()).stream()
                        .filter(key -> !key.equals(claim.key()))
                        .flatMap(key -> world.get(key).stream())
                        .anyMatch(each -> thinksItHas(Claim.of(each), volume));
    }

    private static boolean thinksItHas(Claim claim, Volume volume) {
        String remembered = claim.status().path(Bind.VOLUME_UID).asText("");
        return claim.isBindCompleted()
                && claim.volumeName().equals(volume.name())
                && (remembered.isEmpty() || remembered.equals(volume.uid()));
    }

    /** Whether that changes on which nodes volumes can be reached or made. */
    boolean followNode(Change change) {
        Node after = change.isRemoval() ? null : Node.of(change.object());
        Node before = after == null
                ? nodes.remove(change.key().name())
                : nodes.put(change.key().name(), after);
        return before == null
                || after == null
                || !before.labels().equals(after.labels())
                || before.isCordoned() != after.isCordoned()
                || before.isKnownNotReady() != after.isKnownNotReady();
    }

    /** Whether any node there is can reach what is chosen so. */
    boolean isReachable(NodeSelector affinity) {
        return affinity.isAny() || nodes.values().stream().anyMatch(affinity::matches);
    }
}
