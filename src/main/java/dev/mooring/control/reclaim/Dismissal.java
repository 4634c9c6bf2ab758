package dev.mooring.control.reclaim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Phases;
import dev.mooring.model.Notice;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.world.Proposal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The end of an operation that is no longer wanted, because its volume was given to somebody or its policy was changed. If it has not
 * begun, nothing has happened. If it has, what it did cannot be taken back, and is said: nobody shall find out by himself. Pure.
 */
final class Dismissal {
    private static final String FAILED_DELETE = "VolumeFailedDelete";

    private final Case subject;
    private final VolumeOperation operation;
    private final boolean deletes;

    Dismissal(Case subject, VolumeOperation operation) {
        this.subject = subject;
        this.operation = operation;
        this.deletes = operation.work().equals(Optional.of(Work.DELETE));
    }

    /** Nothing while a node is at it. */
    List<Proposal> proposals() {
        if (operation.state().equals(VolumeOperation.RUNNING)) {
            return List.of();
        }
        if (operation.hasSucceeded()) {
            return deletes ? deleted() : scrubbed();
        }
        if (operation.attempts() == 0 && !operation.hasFailed()) {
            return List.of(subject.without(operation).build());
        }
        return bad(
                deletes ? FAILED_DELETE : "VolumeFailedRecycle",
                (deletes ? "Deletion" : "Scrubbing") + " of the data had begun before " + why() + ", and failed: "
                        + operation.error() + "; part of the data may be missing");
    }

    private List<Proposal> deleted() {
        String message = "The data was deleted: that had begun before " + why();
        if (subject.isNobodys()) {
            Notice notice = subject.warning("VolumeDelete", message + "; the volume goes, too");
            return List.of(subject.telling(new Ending(subject, operation).deleted(), notice));
        }
        if (subject.abandoned().isEmpty()) {
            return bad("VolumeDelete", message);
        }
        Volume volume = subject.volume();
        ObjectNode object = volume.copy();
        Phases.set(object, "Failed", "VolumeDelete", message, subject.now());
        return List.of(subject.telling(
                subject.event("VolumeFailed")
                        .replace(volume.stored(), subject.draft(object))
                        .remove(operation.stored()),
                subject.warning("VolumeDelete", message + "; next: kubectl delete pv " + volume.name())));
    }

    private List<Proposal> scrubbed() {
        if (subject.isNobodys()) {
            return List.of(
                    subject.telling(subject.without(operation), subject.normal("VolumeRecycled", "Volume recycled")));
        }
        return bad("VolumeRecycled", "The data was scrubbed: that had begun before " + why());
    }

    /** Tells it to those who look at the claim that has the volume now, and to those who look at the volume. */
    private List<Proposal> bad(String reason, String message) {
        List<Proposal> proposals = new ArrayList<>();
        holder().ifPresent(claim -> {
            Notice notice = Notice.warning(
                    Notice.Involved.of(claim.tree()),
                    reason,
                    "Volume " + subject.volume().name() + ": " + message,
                    Reclaimer.NAME);
            subject.tellOnce(notice).ifPresent(proposals::add);
        });
        // Last, because with the operation goes the knowledge of what it did.
        proposals.add(subject.telling(subject.without(operation), subject.warning(reason, message)));
        return proposals;
    }

    private Optional<Claim> holder() {
        return subject.volume()
                .claimRef()
                .flatMap(reference ->
                        subject.world().get(reference.key()).map(Claim::of).filter(reference::admits));
    }

    private String why() {
        if (subject.abandoned().isPresent()) {
            return "the reclaim policy became " + subject.volume().reclaimPolicy();
        }
        return holder().map(claim -> "the volume was given to claim " + claim.namespace() + '/' + claim.name())
                .orElse("the volume was released from its last claim");
    }
}
