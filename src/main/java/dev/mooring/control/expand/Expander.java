package dev.mooring.control.expand;

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
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes volumes as large as their bound claims ask. Which size a claim may ask for has been decided when it was written.
 *
 * <pre>
 *   claim asks for more ──▶ block: work for the node ──▶ done ──▶ volume and claim have the new size, in one event
 *                      │                        └──▶ failed ──▶ tried again by the node, or given up until the claim asks for another size
 *                      ├──▶ hostPath, local, nfs of ours: the same event at once, since nothing enforces a size there
 *                      └──▶ anything else: somebody else's business, and the claim says so
 * </pre>
 *
 * <p>A file system that could not be grown with its image is grown by the node that mounts it. That it has is read from the node's ActualVolume.
 *
 * <p>Keys are claims, and operations that may have lost their claim. The index holds the claims that want to grow, and serves only to wake them.
 */
public final class Expander implements Controller {
    /** As Kubernetes names it in its Events. */
    static final String NAME = "volume_expand";

    private final Set<ObjectKey> growing = new HashSet<>();
    private final MountedSizes mounted = new MountedSizes();
    private final Steps steps = new Steps(NAME);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(StorageNames.CLAIMS),
                Scope.resource(StorageNames.VOLUMES),
                Scope.resource(StorageNames.OPERATIONS),
                Scope.resource(StorageNames.ACTUAL_VOLUMES),
                Scope.resource(StorageNames.CLASSES));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        switch (change.key().resource()) {
            case StorageNames.CLAIMS -> followClaim(change, world, wakes);
            case StorageNames.VOLUMES -> followVolume(change, wakes);
            case StorageNames.OPERATIONS -> followOperation(change, world, wakes);
            case StorageNames.ACTUAL_VOLUMES -> {
                String volume = mounted.follow(change);
                if (!growing.isEmpty()) {
                    Growth.named(world, StorageNames.VOLUMES, volume).ifPresent(found -> wakeClaimOf(found, wakes));
                }
            }
            default -> growing.forEach(wakes::now); // a class
        }
    }

    private void followClaim(Change change, World world, Wakes wakes) {
        boolean was = growing.contains(change.key());
        Claim claim = Claim.of(change.object());
        if (change.isRemoval()) {
            growing.remove(change.key());
            Growth.named(world, StorageNames.VOLUMES, claim.volumeName())
                    .map(volume -> Growth.operationKey(Volume.of(volume).uid()))
                    .ifPresent(wakes::now);
            return;
        }
        boolean is = Growth.isWanted(claim) || ResizeStatus.isWithController(claim);
        if (is) {
            growing.add(change.key());
        } else {
            growing.remove(change.key());
        }
        if (is || was) {
            wakes.now(change.key());
        }
    }

    private void followVolume(Change change, Wakes wakes) {
        if (change.isRemoval()) {
            wakes.now(Growth.operationKey(Volume.of(change.object()).uid()));
        } else if (!growing.isEmpty()) {
            wakeClaimOf(change.object(), wakes);
        }
    }

    private void wakeClaimOf(StoredObject volume, Wakes wakes) {
        Volume.of(volume)
                .claimRef()
                .map(ClaimRef::key)
                .filter(growing::contains)
                .ifPresent(wakes::now);
    }

    private void followOperation(Change change, World world, Wakes wakes) {
        if (!GrowOperations.isOne(change.key())) {
            return;
        }
        VolumeOperation operation = VolumeOperation.of(change.object());
        operation.claim().map(ClaimRef::key).ifPresent(wakes::now);
        if (change.isRemoval()) {
            Growth.named(world, StorageNames.VOLUMES, operation.volume())
                    .ifPresent(volume -> wakeClaimOf(volume, wakes));
        } else {
            wakes.now(change.key());
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> object = world.get(key);
        if (object.isEmpty()) {
            return Decision.nothing();
        }
        if (key.resource().equals(StorageNames.OPERATIONS)) {
            return unneeded(world, VolumeOperation.of(object.get()));
        }
        return Growth.of(world, Claim.of(object.get()))
                .map(growth -> decide(world, growth, now))
                .orElseGet(Decision::nothing);
    }

    /** What works for nobody goes, but not while it works: the node would not know. */
    private static Decision unneeded(World world, VolumeOperation operation) {
        if (GrowOperations.isRunning(operation) || GrowOperations.isNeeded(world, operation)) {
            return Decision.nothing();
        }
        return Decision.of(Proposal.by(NAME, "VolumeOperationRemoved")
                .because(operation.cause())
                .remove(operation.stored())
                .build());
    }

    private Decision decide(World world, Growth growth, Instant now) {
        return switch (growth.way()) {
            case BY_NODE -> byNode(world, growth, now);
            case NUMBER_ONLY -> growth.isWanted() ? steps.writeNumber(world, growth, now) : Decision.nothing();
            case EXTERNAL -> growth.isWanted() ? steps.leaveToOthers(world, growth, now) : Decision.nothing();
        };
    }

    private Decision byNode(World world, Growth growth, Instant now) {
        if (growth.operation().isPresent()) {
            return underWay(world, growth, growth.operation().get(), now);
        }
        Claim claim = growth.claim();
        if (!growth.isWanted()) {
            return ResizeStatus.isWithController(claim) ? steps.takeBack(growth) : Decision.nothing();
        }
        boolean nodesTurn = ResizeStatus.isLeftToNode(claim)
                && growth.volume()
                        .capacity()
                        .filter(has -> has.compareTo(claim.request()) >= 0)
                        .isPresent();
        if (nodesTurn && mounted.has(world, growth.volume())) {
            return steps.finishOnNode(world, growth, now);
        }
        if (nodesTurn || claim.isBeingDeleted() || ResizeStatus.isInfeasible(claim, growth.target())) {
            return Decision.nothing();
        }
        return steps.start(world, growth, now);
    }

    private Decision underWay(World world, Growth growth, VolumeOperation operation, Instant now) {
        boolean ours = operation
                .claim()
                .filter(reference -> reference.uid().equals(growth.claim().uid()))
                .isPresent();
        if (!ours || GrowOperations.isRunning(operation)) {
            return Decision.nothing();
        }
        if (operation.hasSucceeded()) {
            return steps.finish(world, growth, operation, now);
        }
        if (!growth.isWanted()) {
            return steps.takeBack(growth);
        }
        if (operation.capacity().filter(growth.target()::equals).isEmpty()) {
            return steps.change(growth, operation, now);
        }
        return operation.hasFailed() ? steps.fail(world, growth, operation, now) : Decision.nothing();
    }
}
