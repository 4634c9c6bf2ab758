package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Annotations;
import dev.mooring.control.Backoff;
import dev.mooring.control.BindProposals;
import dev.mooring.control.Conditions;
import dev.mooring.control.Decision;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
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
import java.util.Map;
import java.util.Optional;

/**
 * Reconciles an operation that provisions a volume.
 *
 * <pre>
 *   succeeded, and the claim still waits      ──▶ one event binds volume and claim and removes the operation
 *   succeeded with an unexpected source       ──▶ the operation is marked failed, see {@link SourceCheck}
 *   the claim is gone or has another volume   ──▶ the operation becomes the removal of its result
 *   failed on a node the scheduler selected   ──▶ the same, and the scheduler chooses again, with back-off
 *   the node is unavailable, not started      ──▶ moved to another node, or the scheduler chooses again
 *   the node is deleted                       ──▶ the operation is removed; an Event names possible leftovers
 * </pre>
 *
 * Pure.
 */
final class ProvisionSync {
    /** Annotation of a claim: consecutive times that the scheduler's selected node was rejected. */
    static final String FAILURES = "mooring.dev/provisioning-failures";

    private static final int MAX_FAILURES = 1000;

    /** When a node retries after its result was rejected: the maximum of its back-off. */
    private static final Duration REJECTED_RETRY_DELAY = Duration.ofMinutes(2);

    private final World world;
    private final VolumeOperation operation;
    private final Instant now;
    private final ProvisionEvents events;
    private final Optional<Node> node;
    private final SourceCheck check;

    ProvisionSync(World world, VolumeOperation operation, Map<String, Map<String, String>> defaults, Instant now) {
        this.world = world;
        this.operation = operation;
        this.now = now;
        this.events = new ProvisionEvents(world, operation, now);
        this.node = world.get(Node.key(operation.node())).map(Node::of);
        this.check = new SourceCheck(world, operation, node, defaults);
    }

    Decision sync() {
        Optional<Volume> volume = world.get(Volume.key(operation.volume())).map(Volume::of);
        if (volume.filter(each -> each.uid().equals(operation.volumeUid())).isPresent()) {
            return Decision.of(events.event("ProvisioningFinished")
                    .remove(operation.stored())
                    .expect(volume.get().stored())
                    .build());
        }
        Optional<Claim> claim = claimToServe();
        if (claim.isEmpty()) {
            return Decision.of(abandon(Optional.empty()));
        }
        if (volume.isPresent()) {
            String why = "PersistentVolume \"" + operation.volume() + "\" already exists: another client created it";
            return Decision.of(abandon(events.recordWarning(
                    ProvisionEvents.FAILED, ProvisionMessages.failed(operation.className(), why))));
        }
        return forClaim(claim.get());
    }

    /** Returns the operation's claim if it still waits for this volume. */
    private Optional<Claim> claimToServe() {
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

    private Decision forClaim(Claim claim) {
        boolean provisioned =
                operation.hasSucceeded() && operation.resultSource().isPresent();
        boolean anywhere = !ProvisionOperations.isNodeBound(operation);
        if (provisioned && (node.isPresent() || anywhere)) {
            return onProvisioned(claim);
        }
        boolean untouched = ProvisionOperations.isNotStarted(operation);
        if (node.isEmpty() && !untouched && !ProvisionOperations.isReachableFromAnywhere(operation)) {
            return Decision.of(forget(claim));
        }
        Optional<String> failure = ProvisionMessages.problem(world, operation);
        boolean away = !ProvisionMessages.isReady(world, operation.node());
        if (away && untouched) {
            return isSelectedByScheduler(claim) ? rescheduleClaim(claim, failure.orElseThrow()) : move(claim);
        }
        if (node.isEmpty()) {
            return move(claim);
        }
        if (failure.isPresent() && !away && operation.hasFailed() && isSelectedByScheduler(claim)) {
            return rescheduleClaim(claim, failure.get());
        }
        if (failure.isPresent()) {
            return reportFailure(claim, failure.get());
        }
        return untouched ? moveToSelectedNode(claim) : resume(claim);
    }

    /** Returns whether the scheduler selected the node for the claim. */
    private boolean isSelectedByScheduler(Claim claim) {
        return claim.selectedNode().filter(operation.node()::equals).isPresent();
    }

    /** Publishes the volume after the node reported success, if the reported source is the expected one. */
    private Decision onProvisioned(Claim claim) {
        Optional<ObjectNode> expected = check.expected();
        if (expected.isEmpty()) {
            return reportFailure(claim, ProvisionMessages.failed(operation.className(), check.unknownReason()));
        }
        Optional<String> problem = check.problem(expected.get());
        return Decision.of(problem.isPresent() ? rejectReport(problem.get()) : finish(claim, expected.get()));
    }

    private Proposal rejectReport(String problem) {
        Proposal proposal = events.event("ProvisioningRefused")
                .replace(
                        operation.stored(),
                        Draft.of(
                                operation.key(),
                                ProvisionOperations.rejected(operation, problem, now, now.plus(REJECTED_RETRY_DELAY))))
                .build();
        return ProvisionEvents.combined(
                proposal,
                events.recordWarning(ProvisionEvents.FAILED, ProvisionMessages.failed(operation.className(), problem)));
    }

    private Proposal finish(Claim claim, ObjectNode source) {
        ObjectNode volume = ProvisionedVolume.of(operation, source, claim, node, now);
        ObjectNode bound = BindProposals.boundClaim(claim, volume, now);
        Annotations.remove(bound, FAILURES);
        Proposal proposal = events.event("VolumeProvisioned")
                .create(Draft.of(Volume.key(operation.volume()), volume))
                .replace(claim.stored(), Draft.of(claim.key(), bound))
                .remove(operation.stored())
                .build();
        return ProvisionEvents.combined(
                proposal,
                events.recordNormal(
                        EventReasons.PROVISIONING_SUCCEEDED,
                        "Successfully provisioned volume " + operation.volume() + " using " + operation.provisioner()
                                + (operation.message().isEmpty() ? "" : "; " + operation.message())));
    }

    /** Turns the operation into the removal of its result. */
    private Proposal abandon(Optional<Proposal> kubeEvent) {
        Proposal proposal = events.event("ProvisioningAbandoned")
                .replace(
                        operation.stored(),
                        Draft.of(operation.key(), ProvisionOperations.deletion(operation, check.reported())))
                .build();
        return ProvisionEvents.combined(proposal, kubeEvent);
    }

    /**
     * Gives up an operation whose node is gone. The claim starts over, and an Event names what an operator may have to
     * clean up.
     */
    private Proposal forget(Claim claim) {
        String leftover = ProvisionMessages.leftover(operation);
        Proposal.Builder proposal = events.event("ProvisioningForgotten").remove(operation.stored());
        if (isSelectedByScheduler(claim)) {
            ObjectNode next = claim.copy();
            Annotations.remove(next, StorageNames.SELECTED_NODE);
            proposal.replace(claim.stored(), Draft.of(claim.key(), next));
        }
        return ProvisionEvents.combined(
                proposal.expectAbsent(Node.key(operation.node())).build(),
                events.recordWarning(ProvisionEvents.CLEANUP_FAILED, leftover));
    }

    /** Moves an operation to another node, because it has not started or any node can continue it. */
    private Decision move(Claim claim) {
        NodeChoice choice = NodeChoice.of(world, claim.uid(), ProvisionMessages.storageClass(world, operation));
        if (choice instanceof NodeChoice.Chosen chosen) {
            String why = world.get(Node.key(operation.node())).isPresent() ? "is not ready" : "no longer exists";
            return moveTo(chosen.node().stored(), why);
        }
        return reportFailure(claim, ProvisionMessages.inProgress(world, operation));
    }

    /** Moves an operation that has not started to the node the scheduler selected since. */
    private Decision moveToSelectedNode(Claim claim) {
        Optional<StoredObject> chosen = claim.selectedNode()
                .filter(name -> !name.equals(operation.node()))
                .flatMap(name -> Provisioning.find(world, name))
                .map(Node::stored);
        return chosen.isPresent() ? moveTo(chosen.get(), "is no longer selected for the claim") : resume(claim);
    }

    private Decision moveTo(StoredObject node, String why) {
        ObjectNode moved = ProvisionOperations.movedTo(operation, node.key().name());
        Proposal proposal = events.event("ProvisioningMoved")
                .replace(operation.stored(), Draft.of(operation.key(), moved))
                .expect(node)
                .build();
        return Decision.of(ProvisionEvents.combined(
                proposal,
                events.recordNormal(
                        Provisioning.IN_PROGRESS_REASON,
                        "node \"" + operation.node() + "\" " + why + ": node \""
                                + node.key().name() + "\" provisions volume \"" + operation.volume() + "\" instead")));
    }

    /**
     * Makes the scheduler choose again. If no other node is suitable, this would loop, so the operation's minimum age
     * grows each time.
     */
    private Decision rescheduleClaim(Claim claim, String failure) {
        int before = failures(claim);
        Instant due = before == 0 ? now : operation.created().plus(Backoff.PROVISIONING.after(before));
        if (now.isBefore(due)) {
            return reportFailure(claim, failure).requeueAt(due, now);
        }
        ObjectNode next = claim.copy();
        Annotations.remove(next, StorageNames.SELECTED_NODE);
        Annotations.put(next, FAILURES, Integer.toString(Math.min(before + 1, MAX_FAILURES)));
        Conditions.put(next, BindProposals.BOUND_CONDITION, "False", ProvisionEvents.FAILED, failure, now);
        Proposal.Builder proposal =
                events.event("ProvisioningGivenBack").replace(claim.stored(), Draft.of(claim.key(), next));
        if (ProvisionOperations.isNotStarted(operation)) {
            proposal.remove(operation.stored());
        } else {
            proposal.replace(
                    operation.stored(),
                    Draft.of(operation.key(), ProvisionOperations.deletion(operation, check.reported())));
        }
        return Decision.of(
                ProvisionEvents.combined(proposal.build(), events.recordWarning(ProvisionEvents.FAILED, failure)));
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

    private Decision reportFailure(Claim claim, String failure) {
        return Decision.of(ProvisionEvents.combined(
                events.condition(claim, ProvisionEvents.FAILED, failure),
                events.recordWarning(ProvisionEvents.FAILED, failure)));
    }

    /** Clears the report of a problem that is resolved. */
    private Decision resume(Claim claim) {
        return ProvisionEvents.reason(claim).equals(ProvisionEvents.FAILED)
                ? Decision.of(events.condition(
                        claim, Provisioning.IN_PROGRESS_REASON, ProvisionMessages.inProgress(world, operation)))
                : Decision.none();
    }
}
