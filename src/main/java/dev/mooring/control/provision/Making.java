package dev.mooring.control.provision;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.control.Conditions;
import dev.mooring.control.Decision;
import dev.mooring.control.bind.Bind;
import dev.mooring.model.Draft;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One look at an operation that makes a volume.
 *
 * <pre>
 *   made, and the claim still wants it       ──▶ volume and claim are bound, the operation goes: one event
 *   the claim is gone or has another volume  ──▶ the operation becomes the removal of what it made
 *   it fails on a node chosen by a scheduler ──▶ the same, and the scheduler chooses again, less often each time
 *   its node is away and has not begun       ──▶ another node, or the scheduler chooses again
 *   its node is gone for good                ──▶ the operation goes, and what may be left over is named
 * </pre>
 *
 * Pure.
 */
final class Making {
    /** On a claim: how many times in a row a scheduler's choice of a node was given back. */
    static final String FAILURES = "mooring.dev/provisioning-failures";

    /** How old an operation must be before the choice is given back, after the first time. */
    private static final Backoff PATIENCE = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(2));

    private static final int MAX_FAILURES = 1000;

    private final World world;
    private final VolumeOperation operation;
    private final Instant now;
    private final Telling telling;

    Making(World world, VolumeOperation operation, Instant now) {
        this.world = world;
        this.operation = operation;
        this.now = now;
        this.telling = new Telling(world, operation, now);
    }

    Decision decide() {
        Optional<Volume> volume = world.get(Volume.key(operation.volume())).map(Volume::of);
        if (volume.filter(each -> each.uid().equals(operation.volumeUid())).isPresent()) {
            return Decision.of(telling.event("ProvisioningFinished")
                    .remove(operation.stored())
                    .expect(volume.get().stored())
                    .build());
        }
        Optional<Claim> claim = wantedBy();
        if (claim.isEmpty()) {
            return Decision.of(abandon(Optional.empty()));
        }
        if (volume.isPresent()) {
            String why = "PersistentVolume \"" + operation.volume() + "\" already exists: somebody else has created it";
            return Decision.of(abandon(telling.bad(Telling.FAILED, Words.failed(operation.className(), why))));
        }
        return forClaim(claim.get(), world.get(Node.key(operation.node())).map(Node::of));
    }

    /** The claim it is for, if that still waits for this volume. */
    private Optional<Claim> wantedBy() {
        return operation
                .claim()
                .flatMap(ref -> world.get(ref.key())
                        .map(Claim::of)
                        .filter(claim -> claim.uid().equals(ref.uid())
                                && !claim.isBeingDeleted()
                                && !claim.isBindCompleted()
                                && (claim.volumeName().isEmpty()
                                        || claim.volumeName().equals(operation.volume()))));
    }

    private Decision forClaim(Claim claim, Optional<Node> node) {
        boolean made = operation.hasSucceeded() && operation.madeSource().isPresent();
        boolean anywhere = operation.provisioner().equals(StorageNames.NFS_PROVISIONER);
        if (made && (node.isPresent() || anywhere)) {
            return Decision.of(finish(claim, operation.madeSource().get(), node));
        }
        boolean untouched = Operations.isUntouched(operation);
        if (node.isEmpty() && !untouched && !Operations.isReachableFromAnywhere(operation)) {
            return Decision.of(forget(claim));
        }
        Optional<String> trouble = Words.trouble(world, operation);
        boolean away = !Words.isReady(world, operation.node());
        if (away && untouched) {
            return isChosen(claim) ? giveBack(claim, trouble.orElseThrow()) : move(claim);
        }
        if (node.isEmpty()) {
            return move(claim);
        }
        if (trouble.isPresent() && !away && operation.hasFailed() && isChosen(claim)) {
            return giveBack(claim, trouble.get());
        }
        if (trouble.isPresent()) {
            return say(claim, trouble.get());
        }
        return untouched ? follow(claim) : resume(claim);
    }

    /** Whether a scheduler has chosen the node for the claim. */
    private boolean isChosen(Claim claim) {
        return claim.selectedNode().filter(operation.node()::equals).isPresent();
    }

    private Proposal finish(Claim claim, ObjectNode source, Optional<Node> node) {
        ObjectNode volume = ProvisionedVolume.of(operation, source, claim, node, now);
        ObjectNode bound = Bind.claim(claim, volume, now);
        Annotations.remove(bound, FAILURES);
        Proposal proposal = telling.event("VolumeProvisioned")
                .create(Draft.of(Volume.key(operation.volume()), volume))
                .replace(claim.stored(), Draft.of(claim.key(), bound))
                .remove(operation.stored())
                .build();
        return Telling.together(
                proposal,
                telling.good(
                        "ProvisioningSucceeded",
                        "Successfully provisioned volume " + operation.volume() + " using " + operation.provisioner()));
    }

    /** What was made, or half made, is to be removed. */
    private Proposal abandon(Optional<Proposal> notice) {
        Proposal proposal = telling.event("ProvisioningAbandoned")
                .replace(operation.stored(), Draft.of(operation.key(), Operations.deletion(operation)))
                .build();
        return Telling.together(proposal, notice);
    }

    /** The node and what it had begun are out of reach. The claim starts over, and somebody should look after the rest. */
    private Proposal forget(Claim claim) {
        String leftover = Words.leftover(operation);
        Proposal.Builder proposal = telling.event("ProvisioningForgotten").remove(operation.stored());
        if (isChosen(claim)) {
            ObjectNode next = claim.copy();
            Annotations.remove(next, StorageNames.SELECTED_NODE);
            proposal.replace(claim.stored(), Draft.of(claim.key(), next));
        }
        return Telling.together(
                proposal.expectAbsent(Node.key(operation.node())).build(),
                telling.bad(Telling.CLEANUP_FAILED, leftover));
    }

    /** Nothing was begun, or it does not matter who goes on: another node does it. */
    private Decision move(Claim claim) {
        NodeChoice choice = NodeChoice.of(world, claim.uid(), Words.storageClass(world, operation));
        if (choice instanceof NodeChoice.Chosen chosen) {
            String why = world.get(Node.key(operation.node())).isPresent() ? "is not ready" : "no longer exists";
            return moveTo(chosen.node().stored(), why);
        }
        return say(claim, Words.underway(world, operation));
    }

    /** A scheduler may have changed its mind before the work began. */
    private Decision follow(Claim claim) {
        Optional<StoredObject> chosen = claim.selectedNode()
                .filter(name -> !name.equals(operation.node()))
                .flatMap(name -> Provisioning.find(world, name))
                .map(Node::stored);
        return chosen.isPresent() ? moveTo(chosen.get(), "is no longer chosen for the claim") : resume(claim);
    }

    private Decision moveTo(StoredObject node, String why) {
        ObjectNode moved = Operations.movedTo(operation, node.key().name());
        Proposal proposal = telling.event("ProvisioningMoved")
                .replace(operation.stored(), Draft.of(operation.key(), moved))
                .expect(node)
                .build();
        return Decision.of(Telling.together(
                proposal,
                telling.good(
                        Provisioning.UNDERWAY_REASON,
                        "node \"" + operation.node() + "\" " + why + ": node \""
                                + node.key().name() + "\" makes volume \"" + operation.volume() + "\" instead")));
    }

    /**
     * Has the scheduler choose again, since elsewhere it may go better. If there is no elsewhere, that would go round in circles: so
     * each time the operation has to be older before.
     */
    private Decision giveBack(Claim claim, String trouble) {
        int before = failures(claim);
        Instant due = before == 0 ? now : operation.created().plus(PATIENCE.after(before));
        if (now.isBefore(due)) {
            return say(claim, trouble).lookAgainAt(due, now);
        }
        ObjectNode next = claim.copy();
        Annotations.remove(next, StorageNames.SELECTED_NODE);
        Annotations.put(next, FAILURES, Integer.toString(Math.min(before + 1, MAX_FAILURES)));
        Conditions.put(next, Bind.BOUND_CONDITION, "False", Telling.FAILED, trouble, now);
        Proposal.Builder proposal =
                telling.event("ProvisioningGivenBack").replace(claim.stored(), Draft.of(claim.key(), next));
        if (Operations.isUntouched(operation)) {
            proposal.remove(operation.stored());
        } else {
            proposal.replace(operation.stored(), Draft.of(operation.key(), Operations.deletion(operation)));
        }
        return Decision.of(Telling.together(proposal.build(), telling.bad(Telling.FAILED, trouble)));
    }

    private static int failures(Claim claim) {
        try {
            return claim.annotation(FAILURES)
                    .map(Integer::parseInt)
                    .filter(count -> count > 0)
                    .orElse(0);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private Decision say(Claim claim, String trouble) {
        return Decision.of(Telling.together(
                telling.condition(claim, Telling.FAILED, trouble), telling.bad(Telling.FAILED, trouble)));
    }

    /** Takes back what was said of trouble that is over. */
    private Decision resume(Claim claim) {
        return Telling.reason(claim).equals(Telling.FAILED)
                ? Decision.of(telling.condition(claim, Provisioning.UNDERWAY_REASON, Words.underway(world, operation)))
                : Decision.nothing();
    }
}
