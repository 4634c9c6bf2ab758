package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.control.protection.NameLists;
import dev.mooring.control.protection.NodeUsage;
import dev.mooring.model.EventReasons;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.OperationType;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reconciles one volume: cancels unneeded operations, updates the finalizer, then starts or completes the needed
 * operation. Pure.
 */
final class ReclaimSync {
    private static final String DELETE = "Delete";
    private static final String RECYCLE = "Recycle";

    private final World world;
    private final Volume volume;
    private final ReclaimContext context;
    private final Deleter deleter;

    ReclaimSync(World world, Volume volume, Instant now) {
        this.world = world;
        this.volume = volume;
        this.context = ReclaimContext.of(world, volume, now);
        this.deleter = Deleter.of(volume);
    }

    /** Returns whether a volume provisioned by Mooring is being deleted without a claim that could release it. */
    static boolean isDeletedUnclaimed(Volume volume) {
        return volume.isBeingDeleted()
                && volume.reclaimPolicy().equals(DELETE)
                && !volume.phase().equals("Bound")
                && volume.claimRef().filter(ClaimRef::hasUid).isEmpty()
                && Deleter.of(volume) == Deleter.MOORING;
    }

    /**
     * Returns whether the volume's data is deleted and only other finalizers remain; Mooring's finalizer was removed
     * with the data.
     */
    private static boolean isDataDeleted(Volume volume) {
        return volume.isBeingDeleted() && !volume.hasFinalizer(StorageNames.VOLUME_CONTROLLER);
    }

    Decision sync() {
        if (volume.uid().isEmpty()) {
            return Decision.none();
        }
        Optional<OperationType> wanted = wanted();
        boolean ends = false;
        List<Proposal> endings = new ArrayList<>();
        for (OperationType work : List.of(OperationType.DELETE, OperationType.SCRUB)) {
            Optional<VolumeOperation> unwanted = operation(work).filter(unused -> !wanted.equals(Optional.of(work)));
            ends |= unwanted.isPresent();
            unwanted.ifPresent(each -> endings.addAll(new CancelOperation(context, each).proposals()));
        }
        if (ends) {
            return Decision.of(endings);
        }
        Optional<ObjectNode> inStep = DeletionProtectionFinalizer.updated(volume);
        if (inStep.isPresent()) {
            ObjectDeleter removal = new ObjectDeleter(ReclaimController.NAME, volume.cause());
            return Decision.of(removal.update(volume.stored(), inStep.get(), "FinalizersUpdated"));
        }
        if (wanted.isEmpty()) {
            return Decision.of(reportProblem());
        }
        OperationType work = wanted.get();
        return Decision.of(
                operation(work).map(each -> syncOperation(work, each)).orElseGet(() -> startOperation(work)));
    }

    /** Returns what the volume's reclaim policy requires and what the work waits for. */
    ReclaimProgress progress() {
        Optional<OperationType> wanted = wanted();
        return new ReclaimProgress(
                wanted,
                wanted.flatMap(this::operation),
                wanted.map(this::pods).orElse(List.of()),
                NodeUsage.of(world, volume),
                wanted.map(unused -> ReclaimNode.of(world, volume).problem()).orElse(""));
    }

    private Optional<VolumeOperation> operation(OperationType work) {
        return world.get(ReclaimOperations.key(work, volume.uid())).map(VolumeOperation::of);
    }

    private Optional<OperationType> wanted() {
        boolean abandoned = context.claimGone().isPresent();
        boolean delete = volume.reclaimPolicy().equals(DELETE)
                && deleter == Deleter.MOORING
                && !isDataDeleted(volume)
                && (abandoned || (isDeletedUnclaimed(volume) && namedBy().isEmpty()));
        if (delete) {
            return Optional.of(OperationType.DELETE);
        }
        boolean scrub = volume.reclaimPolicy().equals(RECYCLE)
                && abandoned
                && !volume.isBeingDeleted()
                && Deleter.scrubProvisioner(volume).isPresent();
        return scrub ? Optional.of(OperationType.SCRUB) : Optional.empty();
    }

    /** Returns a claim that is bound to the volume, or Lost, although the volume's claimRef was removed. */
    private Optional<Claim> namedBy() {
        return world.find(Indexes.CLAIMS_BY_VOLUME, volume.name()).stream()
                .map(Claim::of)
                .filter(Claim::isBindCompleted)
                .findFirst();
    }

    /** Reports why an unclaimed volume cannot be reclaimed, if that is a problem. */
    private Optional<Proposal> reportProblem() {
        if (context.claimGone().isEmpty()) {
            return isDeletedUnclaimed(volume) && !isDataDeleted(volume)
                    ? namedBy().flatMap(this::waitsFor)
                    : Optional.empty();
        }
        return switch (volume.reclaimPolicy()) {
            case "", "Retain" -> Optional.empty();
            case DELETE ->
                deleter != Deleter.NONE
                        ? Optional.empty()
                        : context.failed(
                                EventReasons.VOLUME_FAILED_DELETE,
                                "error getting deleter volume plugin for volume \"" + volume.name()
                                        + "\": no volume plugin matched",
                                "Mooring deletes only volumes that it has provisioned: delete the data by hand and then"
                                        + " the volume, or set its persistentVolumeReclaimPolicy to Retain");
            case RECYCLE ->
                volume.isBeingDeleted()
                        ? Optional.empty()
                        : context.failed(
                                EventReasons.VOLUME_FAILED_RECYCLE,
                                "No recycler plugin found for the volume!",
                                "only "
                                        + SourceTypes.all().stream()
                                                .filter(SourceType::isRecyclable)
                                                .map(SourceType::field)
                                                .collect(Collectors.joining(" and "))
                                        + " volumes can be recycled: set its persistentVolumeReclaimPolicy to Retain");
            default ->
                context.failed(
                        EventReasons.VOLUME_UNKNOWN_RECLAIM_POLICY,
                        "Volume has unrecognized PersistentVolumeReclaimPolicy",
                        "it is none of Retain, Delete and Recycle");
        };
    }

    private Optional<Proposal> waitsFor(Claim claim) {
        String name = claim.namespace() + '/' + claim.name();
        return context.recordEventOnce(context.normal(
                EventReasons.VOLUME_DELETE,
                "claim " + name
                        + " still names the volume, so its data is kept until that claim is deleted; to bind it to"
                        + " the claim again, set spec.claimRef.uid of the volume to " + claim.uid()));
    }

    private Optional<Proposal> startOperation(OperationType work) {
        String users = users(work);
        if (!users.isEmpty()) {
            return context.recordEventOnce(
                    work == OperationType.DELETE
                            ? context.normal(EventReasons.VOLUME_DELETE, "volume is still in use: " + users)
                            : context.normal(EventReasons.VOLUME_FAILED_RECYCLE, users));
        }
        ReclaimNode node = ReclaimNode.of(world, volume);
        if (node.name().isEmpty()) {
            return noNode(work, node);
        }
        String provisioner = work == OperationType.DELETE
                ? volume.provisionedBy().orElseThrow()
                : Deleter.scrubProvisioner(volume).orElseThrow();
        return Optional.of(context.event("VolumeOperationCreated")
                .create(ReclaimOperations.draft(
                        world, work, volume, provisioner, node.name().get(), context.now()))
                .expect(volume.stored())
                .build());
    }

    private Optional<Proposal> syncOperation(OperationType work, VolumeOperation operation) {
        if (operation.hasSucceeded()) {
            ReclaimCompletion ending = new ReclaimCompletion(context, operation);
            return Optional.of(work == OperationType.DELETE ? ending.deleted().build() : ending.recycled());
        }
        boolean running = operation.state().equals(VolumeOperation.RUNNING);
        Optional<Node> node = world.get(Node.key(operation.node())).map(Node::of);
        boolean idle = node.filter(Node::isKnownNotReady).isPresent() && !running;
        if (node.isEmpty() || idle) {
            ReclaimNode other = ReclaimNode.of(world, volume);
            boolean elsewhere = other.name().isPresent() && !other.name().get().equals(operation.node());
            if (elsewhere) {
                return Optional.of(context.without(operation).build());
            }
            if (node.isEmpty()) {
                return noNode(work, other);
            }
        }
        if (running) {
            return Optional.empty();
        }
        // The node ignores an operation created for another claim: remove it and create a new one.
        if (!users(work).isEmpty() || !operation.isForClaimOf(volume)) {
            return Optional.of(context.without(operation).build());
        }
        return operation.hasFailed() ? failed(work, operation.error()) : Optional.empty();
    }

    private Optional<Proposal> failed(OperationType work, String error) {
        String message = error.isEmpty() ? "the node gave no reason" : error;
        return work == OperationType.DELETE
                ? context.failed(EventReasons.VOLUME_FAILED_DELETE, message, "")
                : context.failed(EventReasons.VOLUME_FAILED_RECYCLE, "Recycle failed: " + message, "");
    }

    private Optional<Proposal> noNode(OperationType work, ReclaimNode node) {
        String remedy = "; retrying as soon as there is one; if there will be none: set"
                + " persistentVolumeReclaimPolicy of " + volume.name()
                + " to Retain, then delete it, which keeps its data";
        return failed(work, node.problem() + remedy);
    }

    /** Describes the users that the operation must wait for; "" if there are none. */
    private String users(OperationType work) {
        String nodeUsage = NodeUsage.describe(NodeUsage.of(world, volume));
        List<String> names = pods(work).stream()
                .map(pod -> pod.namespace() + '/' + pod.name())
                .toList();
        if (names.isEmpty()) {
            return nodeUsage.isEmpty() || work == OperationType.DELETE ? nodeUsage : "Volume is still " + nodeUsage;
        }
        String used = work == OperationType.DELETE ? "used by pods " : "Volume is used by pods: ";
        return used + NameLists.abbreviated(names) + (nodeUsage.isEmpty() ? "" : "; " + nodeUsage);
    }

    private List<Pod> pods(OperationType work) {
        return context.claimGone().stream().flatMap(gone -> podsOf(gone, work)).toList();
    }

    /**
     * Returns the Pods that may still use the deleted claim, which happens only after a forced deletion. If a new claim
     * has the name, the Pods created after it use the new one.
     */
    private Stream<Pod> podsOf(ClaimGone gone, OperationType work) {
        Optional<Claim> newClaim = gone.claim().map(Claim::of);
        boolean elsewhere = newClaim.filter(claim -> volume.claimRef()
                        .filter(ref -> ref.uid().equals(claim.uid()))
                        .isPresent())
                .isPresent();
        if (gone.name().namespace().isEmpty() || elsewhere) {
            return Stream.empty();
        }
        return world.find(Indexes.PODS_BY_CLAIM, gone.name()).stream()
                .map(Pod::of)
                .filter(pod -> !pod.isFinished() && (pod.isScheduled() || work == OperationType.SCRUB))
                .filter(pod -> newClaim.filter(claim -> pod.created().isAfter(claim.created()))
                        .isEmpty());
    }
}
