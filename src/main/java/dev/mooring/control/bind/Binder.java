package dev.mooring.control.bind;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The PersistentVolumeController: gives claims volumes, and keeps what both say of each other true.
 *
 * <p>A claim looks for a volume ({@link ClaimSync}), and a volume that becomes free for a claim ({@link VolumeSync}), so neither has to wait
 * for the other to be looked at again. A bind is one event that changes both. Whatever other tools leave half done is an input like any other.
 *
 * <p>Keeps indexes of what it was told ({@link Known}); what it finds there it reads again in the World before deciding.
 */
public final class Binder implements Controller {
    private static final String PODS = "pods";
    private static final String NODES = "nodes";

    /** Waiting claims whose words are made anew after a change of a volume that did not help them. */
    private static final int MAX_WORDS = 100;

    /** How soon: a thousand new volumes are one change to somebody who waits for another one. */
    private static final Duration WORDS = Duration.ofSeconds(1);

    /**
     * How long a new volume that nobody wants, and a new claim that nothing fits, wait for the other side before anything is written about
     * them: often both are created in the same moment, and then the bind is the first thing written.
     */
    static final Duration NEWCOMER = Duration.ofMillis(10);

    private final Known known = new Known();

    @Override
    public String name() {
        return StorageNames.VOLUME_CONTROLLER_NAME;
    }

    @Override
    public String part() {
        return "binder";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(StorageNames.VOLUMES),
                Scope.resource(StorageNames.CLAIMS),
                Scope.resource(StorageNames.CLASSES),
                Scope.resource(StorageNames.OPERATIONS),
                Scope.resource(PODS),
                Scope.resource(NODES));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        switch (change.key().resource()) {
            case StorageNames.VOLUMES -> followVolume(change, before, wakes);
            case StorageNames.CLAIMS -> followClaim(change, before, wakes);
            case StorageNames.CLASSES -> followClass(change, wakes);
            case StorageNames.OPERATIONS -> followOperation(change, wakes);
            case PODS -> followPod(change, wakes);
            default -> followNode(change, wakes);
        }
    }

    private void followVolume(Change change, Optional<StoredObject> before, Wakes wakes) {
        known.assumptions().forgetVolume(change.key());
        known.followVolume(change, before);
        if (!change.isCreation()) {
            known.forgetNewcomer(change.key());
        }
        Volume volume = Volume.of(change.object());
        if (!change.isRemoval()) {
            wakes.now(change.key());
        }
        before.map(Volume::of).flatMap(Volume::claimRef).map(ClaimRef::key).ifPresent(wakes::now);
        volume.claimRef().map(ClaimRef::key).ifPresent(wakes::now);
        known.claims().naming(change.key().name()).forEach(wakes::now);
        known.claims().allUnbound().stream().limit(MAX_WORDS).forEach(claim -> wakes.within(claim, WORDS));
    }

    private void followClaim(Change change, Optional<StoredObject> before, Wakes wakes) {
        known.claims().follow(change);
        if (!change.isCreation()) {
            known.forgetNewcomer(change.key());
        }
        known.volumes().namesOfVolumesFor(change.key()).forEach(name -> wakes.now(Volume.key(name)));
        before.map(Claim::of).ifPresent(claim -> wakeVolume(claim, wakes));
        if (change.isRemoval()) {
            known.assumptions().forgetClaim(change.key()).ifPresent(wakes::now);
            wakeVolume(Claim.of(change.object()), wakes);
        } else {
            wakes.now(change.key());
        }
    }

    private static void wakeVolume(Claim claim, Wakes wakes) {
        Lookup.volumeKey(claim.volumeName()).ifPresent(wakes::now);
    }

    private void followClass(Change change, Wakes wakes) {
        known.claims().unboundOf(change.key().name()).forEach(wakes::now);
        if (!change.isRemoval()) {
            known.claims().unboundOf(ClaimIndex.NO_CLASS).forEach(wakes::now);
        }
        known.volumes().ofClass(change.key().name()).forEach(volume -> wakes.now(Volume.key(volume.name())));
    }

    /** What was made for a claim is gone again, or has become its volume. */
    private void followOperation(Change change, Wakes wakes) {
        if (change.isRemoval()) {
            VolumeOperation operation = VolumeOperation.of(change.object());
            operation.claim().map(ClaimRef::key).ifPresent(wakes::now);
            Lookup.volumeKey(operation.volume()).ifPresent(wakes::now);
            known.claims().naming(operation.volume()).forEach(wakes::now);
        }
    }

    private void followPod(Change change, Wakes wakes) {
        for (ObjectKey claim : known.pods().follow(change)) {
            if (known.claims().isUnbound(claim)) {
                wakes.now(claim);
            }
        }
    }

    private void followNode(Change change, Wakes wakes) {
        if (known.followNode(change)) {
            known.volumes().onSomeNodes().forEach(volume -> wakes.within(Volume.key(volume), WORDS));
            known.claims().allUnbound().forEach(claim -> wakes.within(claim, WORDS));
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> found = world.get(key);
        if (found.isEmpty()) {
            return Decision.nothing();
        }
        return key.resource().equals(StorageNames.CLAIMS)
                ? new ClaimSync(world, Claim.of(found.get()), known, now).decide()
                : new VolumeSync(world, Volume.of(found.get()), known, now).decide();
    }
}
