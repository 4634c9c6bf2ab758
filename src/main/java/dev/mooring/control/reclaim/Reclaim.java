package dev.mooring.control.reclaim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.Removal;
import dev.mooring.control.StoredJson;
import dev.mooring.control.protect.Names;
import dev.mooring.control.protect.NodeHold;
import dev.mooring.control.protect.NodeUse;
import dev.mooring.control.protect.PodUse;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One look at one volume, in this order: what is no longer wanted ends; the finalizer follows the policy; what is wanted begins, or is
 * seen through. Pure.
 */
final class Reclaim {
    private static final String DELETE = "Delete";
    private static final String RECYCLE = "Recycle";
    private static final String FAILED_DELETE = "VolumeFailedDelete";
    private static final String FAILED_RECYCLE = "VolumeFailedRecycle";

    private final World world;
    private final Volume volume;
    private final NodeUse nodes;
    private final PodUse pods;
    private final Case subject;
    private final Caretaker caretaker;

    Reclaim(World world, Volume volume, NodeUse nodes, PodUse pods, Instant now) {
        this.world = world;
        this.volume = volume;
        this.nodes = nodes;
        this.pods = pods;
        this.subject = Case.of(world, volume, now);
        this.caretaker = Caretaker.of(volume);
    }

    /** Whether a volume of ours is deleted that no claim has, so that nobody will release it. */
    static boolean neverHadAClaim(Volume volume) {
        return volume.isBeingDeleted()
                && volume.reclaimPolicy().equals(DELETE)
                && !volume.phase().equals("Bound")
                && volume.claimRef().filter(ClaimRef::hasUid).isEmpty()
                && Caretaker.of(volume) == Caretaker.OURS;
    }

    /** Whether a volume's data is gone and only others still hold it: our finalizer went with the data. */
    private static boolean isDone(Volume volume) {
        return volume.isBeingDeleted() && !volume.hasFinalizer(StorageNames.VOLUME_CONTROLLER);
    }

    Decision decide() {
        if (volume.uid().isEmpty()) {
            return Decision.nothing();
        }
        Optional<Work> wanted = wanted();
        boolean ends = false;
        List<Proposal> endings = new ArrayList<>();
        for (Work work : List.of(Work.DELETE, Work.SCRUB)) {
            Optional<VolumeOperation> unwanted = operation(work).filter(unused -> !wanted.equals(Optional.of(work)));
            ends |= unwanted.isPresent();
            unwanted.ifPresent(each -> endings.addAll(new Dismissal(subject, each).proposals()));
        }
        if (ends) {
            return Decision.of(endings);
        }
        Optional<ObjectNode> inStep = KeepingFinalizer.inStep(volume);
        if (inStep.isPresent()) {
            Removal removal = new Removal(Reclaimer.NAME, volume.cause());
            return Decision.of(removal.changed(volume.stored(), inStep.get(), "FinalizersUpdated"));
        }
        if (wanted.isEmpty()) {
            return Decision.of(trouble());
        }
        Work work = wanted.get();
        return Decision.of(operation(work).map(each -> see(work, each)).orElseGet(() -> begin(work)));
    }

    private Optional<VolumeOperation> operation(Work work) {
        return world.get(WorkOrder.key(work, volume.uid())).map(VolumeOperation::of);
    }

    private Optional<Work> wanted() {
        boolean abandoned = subject.abandoned().isPresent();
        boolean delete = volume.reclaimPolicy().equals(DELETE)
                && caretaker == Caretaker.OURS
                && !isDone(volume)
                && (abandoned || (neverHadAClaim(volume) && namedBy().isEmpty()));
        if (delete) {
            return Optional.of(Work.DELETE);
        }
        boolean scrub = volume.reclaimPolicy().equals(RECYCLE)
                && abandoned
                && !volume.isBeingDeleted()
                && Caretaker.scrubber(volume).isPresent();
        return scrub ? Optional.of(Work.SCRUB) : Optional.empty();
    }

    /**
     * The claim that is still bound to it, or was and is Lost, though somebody has taken the claim out of the volume. Looks at all claims; that
     * happens to volumes only that are deleted and have no claim.
     */
    private Optional<Claim> namedBy() {
        for (StoredObject each : world.list(Scope.resource(StorageNames.CLAIMS))) {
            if (StoredJson.mentions(each, volume.name())) {
                Claim claim = Claim.of(each);
                if (claim.volumeName().equals(volume.name()) && claim.isBindCompleted()) {
                    return Optional.of(claim);
                }
            }
        }
        return Optional.empty();
    }

    /** The volume is nobody's, and there is nothing that can be done: why, if that is bad. */
    private Optional<Proposal> trouble() {
        if (subject.abandoned().isEmpty()) {
            return neverHadAClaim(volume) && !isDone(volume) ? namedBy().flatMap(this::waitsFor) : Optional.empty();
        }
        return switch (volume.reclaimPolicy()) {
            case "", "Retain" -> Optional.empty();
            case DELETE ->
                caretaker != Caretaker.NOBODY
                        ? Optional.empty()
                        : subject.failed(
                                FAILED_DELETE,
                                "error getting deleter volume plugin for volume \"" + volume.name()
                                        + "\": no volume plugin matched",
                                "Mooring only deletes what it has made: delete the data by hand and then the volume, or"
                                        + " set its persistentVolumeReclaimPolicy to Retain");
            case RECYCLE ->
                volume.isBeingDeleted()
                        ? Optional.empty()
                        : subject.failed(
                                FAILED_RECYCLE,
                                "No recycler plugin found for the volume!",
                                "only hostPath and nfs volumes can be recycled: set its persistentVolumeReclaimPolicy"
                                        + " to Retain");
            default ->
                subject.failed(
                        "VolumeUnknownReclaimPolicy",
                        "Volume has unrecognized PersistentVolumeReclaimPolicy",
                        "it is none of Retain, Delete and Recycle");
        };
    }

    private Optional<Proposal> waitsFor(Claim claim) {
        String name = claim.namespace() + '/' + claim.name();
        return subject.tellOnce(subject.normal(
                "VolumeDelete",
                "claim " + name
                        + " still names the volume, so its data stays until that claim is deleted; to give it back"
                        + " to the claim, put its uid " + claim.uid() + " into spec.claimRef of the volume"));
    }

    private Optional<Proposal> begin(Work work) {
        String users = users(work);
        if (!users.isEmpty()) {
            return subject.tellOnce(
                    work == Work.DELETE
                            ? subject.normal("VolumeDelete", "volume is still in use: " + users)
                            : subject.normal(FAILED_RECYCLE, users));
        }
        HoldingNode node = HoldingNode.of(world, volume);
        if (node.name().isEmpty()) {
            return noNode(work, node);
        }
        String provisioner = work == Work.DELETE
                ? volume.provisionedBy().orElseThrow()
                : Caretaker.scrubber(volume).orElseThrow();
        return Optional.of(subject.event("VolumeOperationCreated")
                .create(WorkOrder.draft(work, volume, provisioner, node.name().get(), subject.now()))
                .expect(volume.stored())
                .build());
    }

    private Optional<Proposal> see(Work work, VolumeOperation operation) {
        if (operation.hasSucceeded()) {
            Ending ending = new Ending(subject, operation);
            return Optional.of(work == Work.DELETE ? ending.deleted().build() : ending.recycled());
        }
        boolean running = operation.state().equals(VolumeOperation.RUNNING);
        Optional<Node> node = world.get(Node.key(operation.node())).map(Node::of);
        boolean idle = node.filter(Node::isKnownNotReady).isPresent() && !running;
        if (node.isEmpty() || idle) {
            HoldingNode other = HoldingNode.of(world, volume);
            boolean elsewhere = other.name().isPresent() && !other.name().get().equals(operation.node());
            if (elsewhere) {
                return Optional.of(subject.without(operation).build());
            }
            if (node.isEmpty()) {
                return noNode(work, other);
            }
        }
        if (running) {
            return Optional.empty();
        }
        // One that was ordered for another claim the node leaves alone: it is taken back, and ordered anew.
        if (!users(work).isEmpty() || !operation.isForClaimOf(volume)) {
            return Optional.of(subject.without(operation).build());
        }
        return operation.hasFailed() ? failed(work, operation.error()) : Optional.empty();
    }

    private Optional<Proposal> failed(Work work, String error) {
        String said = error.isEmpty() ? "the node gave no reason" : error;
        return work == Work.DELETE
                ? subject.failed(FAILED_DELETE, said, "")
                : subject.failed(FAILED_RECYCLE, "Recycle failed: " + said, "");
    }

    private Optional<Proposal> noNode(Work work, HoldingNode node) {
        String wayOut = "; it goes on as soon as there is one; if there never will be: set"
                + " persistentVolumeReclaimPolicy of " + volume.name()
                + " to Retain, then delete it, which leaves its data where it is";
        return failed(work, node.trouble() + wayOut);
    }

    /** Who still has it, in words; "" if nobody does. */
    private String users(Work work) {
        String holds = NodeHold.words(nodes.of(world, volume));
        List<String> names = subject.abandoned().stream()
                .flatMap(gone -> podsOf(gone, work))
                .map(pod -> pod.namespace() + '/' + pod.name())
                .toList();
        if (names.isEmpty()) {
            return holds.isEmpty() || work == Work.DELETE ? holds : "Volume is still " + holds;
        }
        String used = work == Work.DELETE ? "used by pods " : "Volume is used by pods: ";
        return used + Names.some(names) + (holds.isEmpty() ? "" : "; " + holds);
    }

    /**
     * Pods that may still use what the claim had, which only happens if it was taken away by force. If there is another claim of that name by
     * now, the Pods that came after it are its own.
     */
    private Stream<Pod> podsOf(Abandonment gone, Work work) {
        Optional<Claim> there = gone.claim().map(Claim::of);
        boolean elsewhere = there.filter(claim -> volume.claimRef()
                        .filter(ref -> ref.uid().equals(claim.uid()))
                        .isPresent())
                .isPresent();
        if (gone.name().namespace().isEmpty() || elsewhere) {
            return Stream.empty();
        }
        return pods.naming(world, gone.name()).stream()
                .filter(pod -> !pod.isFinished() && (pod.isScheduled() || work == Work.SCRUB))
                .filter(pod -> there.filter(claim -> pod.created().isAfter(claim.created()))
                        .isEmpty());
    }
}
