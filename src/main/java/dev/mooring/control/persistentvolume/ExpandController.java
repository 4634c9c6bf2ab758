package dev.mooring.control.persistentvolume;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Index;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The expand controller: expands volumes to the requests of their bound claims. The API validates a request when it is written.
 *
 * <pre>
 *   larger request ──▶ block: operation for the node ──▶ Succeeded ──▶ one event sets the size of volume and claim
 *                 │                             └──▶ Failed ──▶ retried by the node, or infeasible until the request changes
 *                 ├──▶ hostPath, local, nfs provisioned by Mooring: the same event at once, since the size is not enforced
 *                 └──▶ other sources: left to an external controller, with an Event for the claim
 *   larger volume ───▶ the node that mounts it grows the file system and reports so in its ActualVolume ──▶ one event sets the size of the claim
 * </pre>
 *
 * <p>The last line applies to file systems that could not be grown with their image, and to volumes whose capacity a user raised. It
 * depends only on the current objects, so their order of changes is irrelevant.
 *
 * <p>Keys are claims, and operations whose claim may be gone.
 */
public final class ExpandController implements Controller {
    /** Source component that Kubernetes uses in its Events. */
    static final String NAME = "volume_expand";

    /** Claims to expand by the PersistentVolume they name. */
    private static final Index<String> EXPANDING_BY_VOLUME = Index.of(
            "claims to expand by PersistentVolume",
            Scope.resource(StorageNames.CLAIMS),
            ExpandController::expandedVolumes);

    /** ActualVolumes whose capacity is known, by PersistentVolume. */
    private static final Index<String> ACTUAL_BY_VOLUME = Index.of(
            "ActualVolumes with capacity by PersistentVolume",
            Scope.resource(StorageNames.ACTUAL_VOLUMES),
            ExpandController::measuredVolumes);

    private final ExpansionSteps steps = new ExpansionSteps(NAME);

    private static List<String> expandedVolumes(StoredObject stored) {
        Claim claim = Claim.of(stored);
        return VolumeExpansion.isRequested(claim) || !ResizeStatus.of(claim).isEmpty()
                ? List.of(claim.volumeName())
                : List.of();
    }

    private static List<String> measuredVolumes(StoredObject stored) {
        return stored.containsText("capacity")
                        && ActualVolume.of(stored).capacity().isPresent()
                ? List.of(ActualVolume.of(stored).persistentVolume())
                : List.of();
    }

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
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        switch (change.key().resource()) {
            case StorageNames.CLAIMS -> onClaimChange(change, before, world, queue);
            case StorageNames.VOLUMES -> onVolumeChange(change, before, world, queue);
            case StorageNames.OPERATIONS -> onOperationChange(change, world, queue);
            case StorageNames.ACTUAL_VOLUMES -> onActualVolumeChange(change, before, world, queue);
            default -> // a StorageClass changed
                world.index(EXPANDING_BY_VOLUME).all().forEach(claim -> queue.enqueue(claim.key()));
        }
    }

    private static void onClaimChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (change.isRemoval()) {
            Lookup.volume(world, Claim.of(change.object()).volumeName())
                    .ifPresent(volume -> queue.enqueue(VolumeExpansion.operationKey(volume.uid())));
        } else if (!EXPANDING_BY_VOLUME.affectedBy(change, before).isEmpty()) {
            queue.enqueue(change.key());
        }
    }

    private static void onVolumeChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        Volume volume = Volume.of(change.object());
        if (change.isRemoval()) {
            queue.enqueue(VolumeExpansion.operationKey(volume.uid()));
            return;
        }
        enqueueClaims(volume.name(), world, queue);
        if (before.filter(old -> Volume.of(old).capacity().equals(volume.capacity()))
                .isEmpty()) {
            volume.claimRef().map(ClaimRef::key).ifPresent(queue::enqueue);
        }
    }

    private static void onActualVolumeChange(
            Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        ActualVolume actual = ActualVolume.of(change.object());
        if (!world.index(EXPANDING_BY_VOLUME).isEmpty()) {
            enqueueClaims(actual.persistentVolume(), world, queue);
        }
        if (before.map(ActualVolume::of).filter(old -> isSameSize(old, actual)).isEmpty()) {
            Lookup.volume(world, actual.persistentVolume())
                    .flatMap(Volume::claimRef)
                    .map(ClaimRef::key)
                    .ifPresent(queue::enqueue);
        }
    }

    private static boolean isSameSize(ActualVolume before, ActualVolume after) {
        return before.capacity().equals(after.capacity())
                && before.deviceMount().equals(after.deviceMount());
    }

    private static void enqueueClaims(String volume, World world, Enqueuer queue) {
        world.index(EXPANDING_BY_VOLUME).keys(volume).forEach(queue::enqueue);
    }

    private static void onOperationChange(Change change, World world, Enqueuer queue) {
        if (!ExpandOperations.isExpandOperation(change.key())) {
            return;
        }
        VolumeOperation operation = VolumeOperation.of(change.object());
        operation.claim().map(ClaimRef::key).ifPresent(queue::enqueue);
        if (change.isRemoval()) {
            enqueueClaims(operation.volume(), world, queue);
        } else {
            queue.enqueue(change.key());
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> object = world.get(key);
        if (object.isEmpty()) {
            return Decision.none();
        }
        if (key.resource().equals(StorageNames.OPERATIONS)) {
            return removeUnneeded(world, VolumeOperation.of(object.get()));
        }
        return VolumeExpansion.of(world, Claim.of(object.get()))
                .map(expansion -> sync(world, expansion, now))
                .orElseGet(Decision::none);
    }

    /** Removes an operation that no claim needs, but not while the node runs it. */
    private static Decision removeUnneeded(World world, VolumeOperation operation) {
        if (ExpandOperations.isRunning(operation) || ExpandOperations.isNeeded(world, operation)) {
            return Decision.none();
        }
        return Decision.of(Proposal.by(NAME, "VolumeOperationRemoved")
                .because(operation.cause())
                .remove(operation.stored())
                .build());
    }

    private Decision sync(World world, VolumeExpansion expansion, Instant now) {
        if (expansion.operation().isEmpty()
                && expansion.isLeftToNode()
                && isMountedWithCapacity(world, expansion.volume())) {
            return steps.finishOnNode(world, expansion, now);
        }
        return switch (expansion.method()) {
            case BY_NODE -> syncByNode(world, expansion, now);
            case CAPACITY_ONLY ->
                expansion.isRequested() ? steps.updateCapacityOnly(world, expansion, now) : Decision.none();
            case EXTERNAL -> expansion.isRequested() ? steps.waitForExternal(world, expansion, now) : Decision.none();
        };
    }

    private Decision syncByNode(World world, VolumeExpansion expansion, Instant now) {
        if (expansion.operation().isPresent()) {
            return syncOperation(world, expansion, expansion.operation().get(), now);
        }
        Claim claim = expansion.claim();
        if (!expansion.isRequested()) {
            return ResizeStatus.isControllerResize(claim) ? steps.cancel(expansion) : Decision.none();
        }
        if (expansion.isLeftToNode() || claim.isBeingDeleted() || expansion.isInfeasible()) {
            return Decision.none();
        }
        return steps.start(world, expansion, now);
    }

    /** Returns whether a node has the volume mounted with its full capacity. */
    private static boolean isMountedWithCapacity(World world, Volume volume) {
        Quantity size = volume.capacity().orElse(Quantity.ZERO);
        return world.find(ACTUAL_BY_VOLUME, volume.name()).stream()
                .map(ActualVolume::of)
                .anyMatch(actual -> actual.deviceMount().equals(ActualVolume.MOUNTED)
                        && actual.capacity().orElseThrow().compareTo(size) >= 0);
    }

    private Decision syncOperation(World world, VolumeExpansion expansion, VolumeOperation operation, Instant now) {
        boolean ours = operation
                .claim()
                .filter(reference -> reference.uid().equals(expansion.claim().uid()))
                .isPresent();
        if (!ours || ExpandOperations.isRunning(operation)) {
            return Decision.none();
        }
        if (operation.hasSucceeded()) {
            return steps.finish(world, expansion, operation, now);
        }
        if (!expansion.isRequested()) {
            return steps.cancel(expansion);
        }
        if (operation.capacity().filter(expansion.target()::equals).isEmpty()) {
            return steps.changeSize(expansion, operation, now);
        }
        return operation.hasFailed() ? steps.fail(world, expansion, operation, now) : Decision.none();
    }
}
