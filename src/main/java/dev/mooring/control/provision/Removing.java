package dev.mooring.control.provision;

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
 * One look at an operation that once made a volume and now removes what came of it: when that is done the operation goes, and with it the
 * last trace. Pure.
 */
final class Removing {
    private final World world;
    private final VolumeOperation operation;
    private final Telling telling;

    Removing(World world, VolumeOperation operation, Instant now) {
        this.world = world;
        this.operation = operation;
        this.telling = new Telling(world, operation, now);
    }

    Decision decide() {
        Optional<Volume> volume = world.get(Volume.key(operation.volume()))
                .map(Volume::of)
                .filter(each -> each.uid().equals(operation.volumeUid()));
        if (volume.isPresent()) {
            // Somebody has restored it: then its data is in use, and not this operation's to remove.
            return Decision.of(telling.event("ProvisioningFinished")
                    .remove(operation.stored())
                    .expect(volume.get().stored())
                    .build());
        }
        if (operation.hasSucceeded()) {
            return Decision.of(telling.event("ProvisioningCleanedUp")
                    .remove(operation.stored())
                    .build());
        }
        return world.get(Node.key(operation.node())).isEmpty() ? withoutNode() : say();
    }

    private Decision withoutNode() {
        if (Operations.isReachableFromAnywhere(operation)) {
            NodeChoice choice = NodeChoice.of(world, Words.claimUid(operation), Words.storageClass(world, operation));
            return choice instanceof NodeChoice.Chosen chosen ? Decision.of(moveTo(chosen.node())) : say();
        }
        Proposal proposal = telling.event("ProvisioningForgotten")
                .remove(operation.stored())
                .expectAbsent(Node.key(operation.node()))
                .build();
        return Decision.of(Telling.together(proposal, telling.bad(Telling.CLEANUP_FAILED, Words.leftover(operation))));
    }

    private Proposal moveTo(Node node) {
        return telling.event("ProvisioningMoved")
                .replace(operation.stored(), Draft.of(operation.key(), Operations.movedTo(operation, node.name())))
                .expect(node.stored())
                .build();
    }

    private Decision say() {
        Optional<String> trouble = Words.trouble(world, operation);
        if (trouble.isEmpty()) {
            return Decision.nothing();
        }
        Optional<Proposal> condition = operation
                .claim()
                .flatMap(ref -> world.get(ref.key())
                        .map(Claim::of)
                        .filter(claim -> claim.uid().equals(ref.uid())))
                .filter(claim -> !claim.isBindCompleted() && !claim.isBeingDeleted())
                .flatMap(claim -> telling.condition(claim, Telling.FAILED, trouble.get()));
        String claim = operation.claim().map(Object::toString).orElse("");
        return Decision.of(Telling.together(
                condition,
                telling.bad(
                        Telling.CLEANUP_FAILED,
                        "Error cleaning provisioned volume for claim " + claim + ": " + trouble.get())));
    }
}
