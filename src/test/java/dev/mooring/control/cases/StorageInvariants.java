package dev.mooring.control.cases;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the storage invariants after every event (I2 and I4 of the architecture): a volume belongs to one claim, and
 * both name each other in the same revision; no data is deleted or scrubbed while a claim, a node or a Pod uses it.
 */
final class StorageInvariants {
    private static final Scope VOLUMES = Scope.resource(StorageNames.VOLUMES);
    private static final Scope CLAIMS = Scope.resource(StorageNames.CLAIMS);
    private static final Scope OPERATIONS = Scope.resource(StorageNames.OPERATIONS);

    /** Pods that used a claim when it was force-deleted, by the claim's uid. */
    private final Map<String, Set<ObjectKey>> podsOfRemovedClaims = new HashMap<>();

    private World world;

    StorageInvariants(World world) {
        this.world = world;
    }

    World world() {
        return world;
    }

    /** Applies the next event; throws if it violates an invariant. */
    void check(Event event) {
        World before = world;
        world = world.after(event);
        for (Change change : event.changes()) {
            if (CLAIMS.contains(change.key()) && change.isRemoval()) {
                noteUsers(Claim.of(change.object()));
            } else if (CLAIMS.contains(change.key())) {
                checkClaim(event, before, Claim.of(change.object()));
            } else if (OPERATIONS.contains(change.key()) && !change.isRemoval()) {
                checkOperation(event, before, VolumeOperation.of(change.object()));
            } else if (VOLUMES.contains(change.key()) && !change.isRemoval()) {
                checkVolume(event, before, Volume.of(change.object()));
            }
        }
        checkOwners(event);
    }

    /** A claim that becomes Bound is named by its volume in the same revision. */
    private void checkClaim(Event event, World before, Claim claim) {
        boolean was = before.get(claim.key())
                .map(Claim::of)
                .filter(each -> each.uid().equals(claim.uid()) && each.phase().equals("Bound"))
                .isPresent();
        if (was || !claim.phase().equals("Bound")) {
            return;
        }
        Optional<Volume> volume = world.get(Volume.key(claim.volumeName())).map(Volume::of);
        boolean agreed = volume.filter(each -> each.phase().equals("Bound"))
                .flatMap(Volume::claimRef)
                .filter(ref -> ref.names(claim) && ref.uid().equals(claim.uid()))
                .isPresent();
        if (!agreed) {
            throw violation(
                    event, "claim " + claim.tree() + " is Bound, but the volume is " + volume.map(Volume::tree));
        }
    }

    /** A volume does not change from one claim directly to another. */
    private void checkVolume(Event event, World before, Volume volume) {
        String now = volume.claimRef().map(ClaimRef::uid).orElse("");
        Optional<Volume> was = before.get(volume.key()).map(Volume::of);
        String then = was.flatMap(Volume::claimRef).map(ClaimRef::uid).orElse("");
        if (now.isEmpty() || then.isEmpty() || now.equals(then) || event.actor().equals("tester")) {
            return;
        }
        throw violation(event, "volume " + volume.name() + " changed from claim " + then + " directly to " + now);
    }

    /** No two claims are bound to one volume. A claim whose volume was replaced by one of the same name has none. */
    private void checkOwners(Event event) {
        Map<String, Claim> owners = new HashMap<>();
        for (StoredObject each : world.list(CLAIMS)) {
            Claim claim = Claim.of(each);
            if (claim.phase().equals("Bound") && isItsVolume(claim)) {
                Claim other = owners.put(claim.volumeName(), claim);
                if (other != null) {
                    throw violation(
                            event, claim.key() + " and " + other.key() + " are both Bound to " + claim.volumeName());
                }
            }
        }
    }

    private boolean isItsVolume(Claim claim) {
        String known = claim.status().path("volumeUID").asText("");
        Optional<Volume> volume = world.get(Volume.key(claim.volumeName())).map(Volume::of);
        return volume.filter(each -> known.isEmpty() || known.equals(each.uid()))
                .isPresent();
    }

    /** Data is deleted or scrubbed only without users. Checked when the operation is created and when it starts. */
    private void checkOperation(Event event, World before, VolumeOperation operation) {
        boolean destroys = operation
                .operationType()
                .filter(work ->
                        work == VolumeOperation.OperationType.DELETE || work == VolumeOperation.OperationType.SCRUB)
                .isPresent();
        Optional<VolumeOperation> was = before.get(operation.key()).map(VolumeOperation::of);
        boolean decided = was.isEmpty() || !was.get().operationType().equals(operation.operationType());
        boolean begun = operation.state().equals(VolumeOperation.RUNNING)
                && !was.filter(each -> each.state().equals(VolumeOperation.RUNNING))
                        .isPresent();
        if (!destroys || !(decided || begun)) {
            return;
        }
        Optional<Volume> volume = before.get(Volume.key(operation.volume()))
                .map(Volume::of)
                .filter(each -> each.uid().equals(operation.volumeUid()));
        volume.flatMap(Volume::claimRef).ifPresent(ref -> {
            Optional<Claim> claim = before.get(ref.key()).map(Claim::of);
            if (claim.filter(each -> each.uid().equals(ref.uid())
                            && (each.volumeName().isEmpty() || each.volumeName().equals(operation.volume())))
                    .isPresent()) {
                throw violation(event, operation.name() + " although claim " + ref + " exists");
            }
            checkPods(event, before, ref, operation);
        });
        checkNodes(event, before, operation);
    }

    private void noteUsers(Claim claim) {
        Set<ObjectKey> pods = new HashSet<>();
        for (StoredObject each : world.list(Scope.resource("pods"))) {
            if (Pod.of(each).claimKeys().contains(claim.key()) && Pod.of(each).isScheduled()) {
                pods.add(each.key());
            }
        }
        podsOfRemovedClaims.put(claim.uid(), pods);
    }

    private void checkPods(Event event, World before, ClaimRef ref, VolumeOperation operation) {
        for (ObjectKey each : podsOfRemovedClaims.getOrDefault(ref.uid(), Set.of())) {
            Optional<Pod> pod = before.get(each).map(Pod::of).filter(found -> !found.isFinished());
            if (pod.filter(found -> found.claimKeys().contains(ref.key())).isPresent()) {
                throw violation(event, operation.name() + " although " + each + " uses it");
            }
        }
    }

    private static void checkNodes(Event event, World before, VolumeOperation operation) {
        for (StoredObject each : before.list(Scope.resource(StorageNames.ACTUAL_VOLUMES))) {
            String name =
                    VolumeOperation.of(each).spec().path("persistentVolume").asText();
            if (name.equals(operation.volume())) {
                throw violation(event, operation.name() + " although " + each.key() + " has it mounted");
            }
        }
        for (StoredObject each : before.list(Scope.resource(StorageNames.ATTACHMENTS))) {
            String name = VolumeOperation.of(each)
                    .spec()
                    .path("source")
                    .path("persistentVolumeName")
                    .asText();
            if (name.equals(operation.volume())) {
                throw violation(event, operation.name() + " although " + each.key() + " has it attached");
            }
        }
    }

    private static AssertionError violation(Event event, String violated) {
        ObjectKey first = event.changes().get(0).key();
        return new AssertionError(event.type() + " of " + first + " by " + event.actor() + " at revision "
                + event.revision() + " violates an invariant: " + violated);
    }
}
