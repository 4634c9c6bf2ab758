package dev.mooring.control.persistentvolume;

import dev.mooring.control.Decision;
import dev.mooring.model.Draft;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.Optional;

/**
 * Reconciles an operation that removes the result of a cancelled provisioning. The operation is deleted when the
 * removal is done. Pure.
 */
final class DeleteSync {
    private final World world;
    private final VolumeOperation operation;
    private final ProvisionEvents events;

    DeleteSync(World world, VolumeOperation operation, Instant now) {
        this.world = world;
        this.operation = operation;
        this.events = new ProvisionEvents(world, operation, now);
    }

    Decision sync() {
        Optional<Volume> volume = world.get(Volume.key(operation.volume()))
                .map(Volume::of)
                .filter(each -> each.uid().equals(operation.volumeUid()));
        if (volume.isPresent()) {
            // The volume was restored, so its data is in use and must not be removed.
            return Decision.of(events.event("ProvisioningFinished")
                    .remove(operation.stored())
                    .expect(volume.get().stored())
                    .build());
        }
        if (operation.hasSucceeded()) {
            return Decision.of(events.event("ProvisioningCleanedUp")
                    .remove(operation.stored())
                    .build());
        }
        return world.get(Node.key(operation.node())).isEmpty() ? withoutNode() : reportFailure();
    }

    private Decision withoutNode() {
        if (ProvisionOperations.isReachableFromAnywhere(operation)) {
            NodeChoice choice = NodeChoice.of(
                    world, ProvisionMessages.claimUid(operation), ProvisionMessages.storageClass(world, operation));
            return choice instanceof NodeChoice.Chosen chosen ? Decision.of(moveTo(chosen.node())) : reportFailure();
        }
        Proposal proposal = events.event("ProvisioningForgotten")
                .remove(operation.stored())
                .expectAbsent(Node.key(operation.node()))
                .build();
        return Decision.of(ProvisionEvents.combined(
                proposal, events.recordWarning(ProvisionEvents.CLEANUP_FAILED, ProvisionMessages.leftover(operation))));
    }

    private Proposal moveTo(Node node) {
        return events.event("ProvisioningMoved")
                .replace(
                        operation.stored(),
                        Draft.of(operation.key(), ProvisionOperations.movedTo(operation, node.name())))
                .expect(node.stored())
                .build();
    }

    private Decision reportFailure() {
        Optional<String> problem = ProvisionMessages.problem(world, operation);
        if (problem.isEmpty()) {
            return Decision.none();
        }
        Optional<Proposal> condition = operation
                .claim()
                .flatMap(ref -> world.get(ref.key())
                        .map(Claim::of)
                        .filter(claim -> claim.uid().equals(ref.uid())))
                .filter(claim -> !claim.isBindCompleted() && !claim.isBeingDeleted())
                .flatMap(claim -> events.condition(claim, ProvisionEvents.FAILED, problem.get()));
        String claim = operation.claim().map(Object::toString).orElse("");
        return Decision.of(ProvisionEvents.combined(
                condition,
                events.recordWarning(
                        ProvisionEvents.CLEANUP_FAILED,
                        "Error cleaning provisioned volume for claim " + claim + ": " + problem.get())));
    }
}
