package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Phases;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.OperationType;
import dev.mooring.world.Proposal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Ends an operation that is no longer needed, because its volume was bound again or its policy changed. If it has not
 * started, nothing happened. If it has, its effect cannot be undone, and Events report it. Pure.
 */
final class CancelOperation {
    private final ReclaimContext context;
    private final VolumeOperation operation;
    private final boolean deletes;

    CancelOperation(ReclaimContext subject, VolumeOperation operation) {
        this.context = subject;
        this.operation = operation;
        this.deletes = operation.operationType().equals(Optional.of(OperationType.DELETE));
    }

    /** Returns the proposals; none while a node runs the operation. */
    List<Proposal> proposals() {
        if (operation.state().equals(VolumeOperation.RUNNING)) {
            return List.of();
        }
        if (operation.hasSucceeded()) {
            return deletes ? deleted() : scrubbed();
        }
        if (operation.attempts() == 0 && !operation.hasFailed()) {
            return List.of(context.without(operation).build());
        }
        return warnings(
                deletes ? EventReasons.VOLUME_FAILED_DELETE : EventReasons.VOLUME_FAILED_RECYCLE,
                (deletes ? "Deletion" : "Scrubbing") + " of the data had started before " + cancelReason()
                        + ", and failed: " + operation.error() + "; part of the data may be missing");
    }

    private List<Proposal> deleted() {
        String message = "The data was deleted: the deletion had started before " + cancelReason();
        if (context.isUnclaimed()) {
            KubeEvent kubeEvent = context.warning(EventReasons.VOLUME_DELETE, message + "; the volume is deleted, too");
            return List.of(context.withEvent(new ReclaimCompletion(context, operation).deleted(), kubeEvent));
        }
        if (context.claimGone().isEmpty()) {
            return warnings(EventReasons.VOLUME_DELETE, message);
        }
        Volume volume = context.volume();
        ObjectNode object = volume.copy();
        Phases.set(object, "Failed", "VolumeDelete", message, context.now());
        return List.of(context.withEvent(
                context.event("VolumeFailed")
                        .replace(volume.stored(), context.draft(object))
                        .remove(operation.stored()),
                context.warning(EventReasons.VOLUME_DELETE, message + "; next: kubectl delete pv " + volume.name())));
    }

    private List<Proposal> scrubbed() {
        if (context.isUnclaimed()) {
            return List.of(context.withEvent(
                    context.without(operation), context.normal(EventReasons.VOLUME_RECYCLED, "Volume recycled")));
        }
        return warnings(
                EventReasons.VOLUME_RECYCLED,
                "The data was scrubbed: the scrubbing had started before " + cancelReason());
    }

    /** Records a Warning for the claim that has the volume now, and for the volume. */
    private List<Proposal> warnings(String reason, String message) {
        List<Proposal> proposals = new ArrayList<>();
        holder().ifPresent(claim -> {
            KubeEvent kubeEvent = KubeEvent.warning(
                    KubeEvent.InvolvedObject.of(claim.tree()),
                    reason,
                    "Volume " + context.volume().name() + ": " + message,
                    ReclaimController.NAME);
            context.recordEventOnce(kubeEvent).ifPresent(proposals::add);
        });
        // Last, because removing the operation removes the record of what it did.
        proposals.add(context.withEvent(context.without(operation), context.warning(reason, message)));
        return proposals;
    }

    private Optional<Claim> holder() {
        return context.volume()
                .claimRef()
                .flatMap(reference ->
                        context.world().get(reference.key()).map(Claim::of).filter(reference::admits));
    }

    private String cancelReason() {
        if (context.claimGone().isPresent()) {
            return "the reclaim policy was changed to " + context.volume().reclaimPolicy();
        }
        return holder().map(claim -> "the volume was bound to claim " + claim.namespace() + '/' + claim.name())
                .orElse("the volume was released from its last claim");
    }
}
