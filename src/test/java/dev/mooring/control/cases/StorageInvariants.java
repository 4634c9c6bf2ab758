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
 * What must hold after every single event, whoever did what (I2 and I4 of the architecture): a volume belongs to one claim, and both say so
 * in the same revision; nothing is deleted or emptied while a claim, a node or a Pod still uses it.
 */
final class StorageInvariants {
    private static final Scope VOLUMES = Scope.resource(StorageNames.VOLUMES);
    private static final Scope CLAIMS = Scope.resource(StorageNames.CLAIMS);
    private static final Scope OPERATIONS = Scope.resource(StorageNames.OPERATIONS);

    /** Pods that used a claim when it was taken away by force, by the claim's identity. */
    private final Map<String, Set<ObjectKey>> leftBehind = new HashMap<>();

    private World world;

    StorageInvariants(World world) {
        this.world = world;
    }

    World world() {
        return world;
    }

    /** Takes the next event; throws if it breaks something. */
    void witness(Event event) {
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

    /** Whoever becomes Bound is named by its volume in the same revision. */
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
            throw broken(event, "claim " + claim.tree() + " is Bound, but the volume is " + volume.map(Volume::tree));
        }
    }

    /** Who is given a volume does not take it from somebody who has it. */
    private void checkVolume(Event event, World before, Volume volume) {
        String now = volume.claimRef().map(ClaimRef::uid).orElse("");
        Optional<Volume> was = before.get(volume.key()).map(Volume::of);
        String then = was.flatMap(Volume::claimRef).map(ClaimRef::uid).orElse("");
        if (now.isEmpty() || then.isEmpty() || now.equals(then) || event.actor().equals("tester")) {
            return;
        }
        throw broken(event, "volume " + volume.name() + " went from claim " + then + " to " + now + " at once");
    }

    /** No two claims have the same volume. One whose volume is gone and another one of that name is there has nothing. */
    private void checkOwners(Event event) {
        Map<String, Claim> owners = new HashMap<>();
        for (StoredObject each : world.list(CLAIMS)) {
            Claim claim = Claim.of(each);
            if (claim.phase().equals("Bound") && isItsVolume(claim)) {
                Claim other = owners.put(claim.volumeName(), claim);
                if (other != null) {
                    throw broken(
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

    /** Data is deleted or emptied only when nobody is left. Asked when it is decided, and when it begins. */
    private void checkOperation(Event event, World before, VolumeOperation operation) {
        boolean destroys = operation
                .work()
                .filter(work -> work == VolumeOperation.Work.DELETE || work == VolumeOperation.Work.SCRUB)
                .isPresent();
        Optional<VolumeOperation> was = before.get(operation.key()).map(VolumeOperation::of);
        boolean decided = was.isEmpty() || !was.get().work().equals(operation.work());
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
                throw broken(event, operation.name() + " though claim " + ref + " is still there");
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
        leftBehind.put(claim.uid(), pods);
    }

    private void checkPods(Event event, World before, ClaimRef ref, VolumeOperation operation) {
        for (ObjectKey each : leftBehind.getOrDefault(ref.uid(), Set.of())) {
            Optional<Pod> pod = before.get(each).map(Pod::of).filter(found -> !found.isFinished());
            if (pod.filter(found -> found.claimKeys().contains(ref.key())).isPresent()) {
                throw broken(event, operation.name() + " though " + each + " uses it");
            }
        }
    }

    private static void checkNodes(Event event, World before, VolumeOperation operation) {
        for (StoredObject each : before.list(Scope.resource(StorageNames.ACTUAL_VOLUMES))) {
            String name =
                    VolumeOperation.of(each).spec().path("persistentVolume").asText();
            if (name.equals(operation.volume())) {
                throw broken(event, operation.name() + " though " + each.key() + " has it mounted");
            }
        }
        for (StoredObject each : before.list(Scope.resource(StorageNames.ATTACHMENTS))) {
            String name = VolumeOperation.of(each)
                    .spec()
                    .path("source")
                    .path("persistentVolumeName")
                    .asText();
            if (name.equals(operation.volume())) {
                throw broken(event, operation.name() + " though " + each.key() + " has it attached");
            }
        }
    }

    private static AssertionError broken(Event event, String how) {
        ObjectKey first = event.changes().get(0).key();
        return new AssertionError("Expected " + event.type() + " of " + first + " by " + event.actor() + " at revision "
                + event.revision() + " to keep what must always hold, but " + how);
    }
}
