package dev.mooring.node.volumemanager;

import dev.mooring.control.Backoff;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Effect;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Executes the VolumeOperations of one node. An operation is first recorded as Running and then started; the executor
 * records its result. An operation that is Running in the World but not pending in this process was interrupted by a
 * crash, and is started again.
 *
 * <p>Has no state of its own.
 */
public final class VolumeOperationController implements Controller {
    private final String node;
    private final OperationStatusUpdates steps;

    /** Executes an operation that is Running in the World, unless this process executes it already. */
    public record RunVolumeOperation(ObjectKey operation) implements Effect {}

    /**
     * Creates the controller.
     *
     * @param node name of the node
     */
    public VolumeOperationController(String node) {
        this.node = node;
        this.steps = new OperationStatusUpdates("node/" + node);
    }

    @Override
    public String name() {
        return steps.actor();
    }

    @Override
    public String metricName() {
        return "volume-operator";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(StorageNames.OPERATIONS));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        queue.enqueue(change.key());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<VolumeOperation> mine = world.get(key).map(VolumeOperation::of).filter(this::isOwnOperation);
        return mine.map(operation -> decide(world, operation, now)).orElseGet(Decision::none);
    }

    private boolean isOwnOperation(VolumeOperation operation) {
        return operation.node().equals(node);
    }

    private Decision decide(World world, VolumeOperation operation, Instant now) {
        if (operation.operationType().isEmpty()) {
            return refuse(operation, now);
        }
        return switch (operation.state()) {
            case VolumeOperation.RUNNING -> Decision.none().withEffects(new RunVolumeOperation(operation.key()));
            case VolumeOperation.SUCCEEDED ->
                OperationStatusUpdates.isOutdated(operation) ? begin(world, operation, now) : Decision.none();
            case VolumeOperation.FAILED -> retry(world, operation, now);
            default -> begin(world, operation, now);
        };
    }

    private Decision begin(World world, VolumeOperation operation, Instant now) {
        Optional<Volume> volume = emptied(world, operation);
        if (volume.isPresent() && isClaimed(volume.get(), operation)) {
            return Decision.none(); // its creator removes it
        }
        Proposal started = steps.started(operation, now);
        return Decision.of(volume.map(each -> started.expecting(each.stored())).orElse(started))
                .withEffects(new RunVolumeOperation(operation.key()));
    }

    /** Returns the volume whose data the operation would delete. */
    private static Optional<Volume> emptied(World world, VolumeOperation operation) {
        boolean empties = operation
                .operationType()
                .filter(work ->
                        work == VolumeOperation.OperationType.DELETE || work == VolumeOperation.OperationType.SCRUB)
                .isPresent();
        return empties
                ? world.get(Volume.key(operation.volume()))
                        .map(Volume::of)
                        .filter(volume -> volume.uid().equals(operation.volumeUid()))
                : Optional.empty();
    }

    /** Returns whether the volume has been bound, or reserved for another claim, since the operation was created. */
    private static boolean isClaimed(Volume volume, VolumeOperation operation) {
        return volume.phase().equals("Bound") || !operation.isForClaimOf(volume);
    }

    private Decision retry(World world, VolumeOperation operation, Instant now) {
        Instant due = operation.nextTry().orElse(now);
        // A time beyond the maximum delay was stored before the clock was set back.
        boolean credible = !due.isAfter(now.plus(Backoff.VOLUME_OPERATION.longest()));
        if (due.isAfter(now) && credible && !OperationStatusUpdates.isOutdated(operation)) {
            return Decision.none().requeueAt(due, now);
        }
        return begin(world, operation, now);
    }

    /** Refuses an unknown operation, once per process and spec. Another version of Mooring may support it. */
    private Decision refuse(VolumeOperation operation, Instant now) {
        if (operation.hasFailed() && OperationStatusUpdates.isTried(operation)) {
            return Decision.none();
        }
        String message = "spec.operation must be one of " + Arrays.toString(VolumeOperation.OperationType.values())
                + ", got \"" + operation.spec().path("operation").asText("")
                + "\". Nothing is done until it is corrected.";
        return Decision.of(
                steps.failedForGood(operation, new WorkFailure(WorkFailure.UNKNOWN_OPERATION, message, ""), now));
    }
}
