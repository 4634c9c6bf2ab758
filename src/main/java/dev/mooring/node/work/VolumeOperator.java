package dev.mooring.node.work;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
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
 * Has the VolumeOperations of one node done. What is to be done is first written down as Running and only then begun, and how it ended is
 * written by whoever did it. So whatever is Running in the World and not under way in this process was cut off by a crash, and is begun
 * again.
 *
 * <p>Has no state of its own. Unlike other controllers it has an effect, through its port; calling that twice is calling it once.
 */
public final class VolumeOperator implements Controller {
    private final String node;
    private final OperationSteps steps;
    private final Effects effects;

    /** @param node its name */
    public VolumeOperator(String node, Effects effects) {
        this.node = node;
        this.steps = new OperationSteps("node/" + node);
        this.effects = effects;
    }

    @Override
    public String name() {
        return steps.actor();
    }

    @Override
    public String part() {
        return "volume-operator";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(StorageNames.OPERATIONS));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        wakes.now(change.key());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<VolumeOperation> mine = world.get(key).map(VolumeOperation::of).filter(this::isMine);
        return mine.map(operation -> decide(world, operation, now)).orElseGet(Decision::nothing);
    }

    private boolean isMine(VolumeOperation operation) {
        return operation.node().equals(node);
    }

    private Decision decide(World world, VolumeOperation operation, Instant now) {
        if (operation.work().isEmpty()) {
            return refuse(operation, now);
        }
        return switch (operation.state()) {
            case VolumeOperation.RUNNING -> goOn(operation);
            case VolumeOperation.SUCCEEDED ->
                OperationSteps.isOutdated(operation) ? begin(world, operation, now) : Decision.nothing();
            case VolumeOperation.FAILED -> tryAgain(world, operation, now);
            default -> begin(world, operation, now);
        };
    }

    private Decision begin(World world, VolumeOperation operation, Instant now) {
        Optional<Volume> volume = emptied(world, operation);
        if (volume.isPresent() && isSomebodys(volume.get(), operation)) {
            return Decision.nothing(); // who ordered it takes it back
        }
        Proposal begun = steps.begun(operation, now);
        return Decision.of(volume.map(each -> begun.expecting(each.stored())).orElse(begun));
    }

    /** The volume that would be without its data. */
    private static Optional<Volume> emptied(World world, VolumeOperation operation) {
        boolean empties = operation
                .work()
                .filter(work -> work == VolumeOperation.Work.DELETE || work == VolumeOperation.Work.SCRUB)
                .isPresent();
        return empties
                ? world.get(Volume.key(operation.volume()))
                        .map(Volume::of)
                        .filter(volume -> volume.uid().equals(operation.volumeUid()))
                : Optional.empty();
    }

    /** Whether it has been given to somebody, or kept for another, since the work was ordered. */
    private static boolean isSomebodys(Volume volume, VolumeOperation operation) {
        return volume.phase().equals("Bound") || !operation.isForClaimOf(volume);
    }

    private Decision goOn(VolumeOperation operation) {
        if (!effects.isUnderWay(operation.key())) {
            effects.start(operation);
        }
        return Decision.nothing();
    }

    private Decision tryAgain(World world, VolumeOperation operation, Instant now) {
        Instant due = operation.nextTry().orElse(now);
        // One that is further away than any wait was written before the clock was set back.
        boolean credible = !due.isAfter(now.plus(OperationSteps.BACKOFF.longest()));
        if (due.isAfter(now) && credible && !OperationSteps.isOutdated(operation)) {
            return Decision.nothing().lookAgainAt(due, now);
        }
        return begin(world, operation, now);
    }

    /** Another version of Mooring may know it; until this one ends or the operation changes, once is enough. */
    private Decision refuse(VolumeOperation operation, Instant now) {
        if (operation.hasFailed() && OperationSteps.isTried(operation)) {
            return Decision.nothing();
        }
        String message = "Expected spec.operation to be one of " + Arrays.toString(VolumeOperation.Work.values())
                + ", but it is \"" + operation.spec().path("operation").asText("")
                + "\". Nothing is done until that is changed.";
        return Decision.of(steps.failedForGood(operation, new Failure(Failure.UNKNOWN_OPERATION, message, ""), now));
    }
}
