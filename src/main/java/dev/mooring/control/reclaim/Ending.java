package dev.mooring.control.reclaim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Phases;
import dev.mooring.control.Removal;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;
import java.util.List;

/** What follows when a node has done its work: one event that ends the operation and changes the volume. Pure. */
final class Ending {
    private final Case subject;
    private final VolumeOperation operation;

    Ending(Case subject, VolumeOperation operation) {
        this.subject = subject;
        this.operation = operation;
    }

    /** The data is gone, so the volume goes; if finalizers of others hold it, it is marked. */
    Proposal.Builder deleted() {
        ObjectNode object = subject.volume().copy();
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        Removal.removeText(metadata, "finalizers", StorageNames.VOLUME_CONTROLLER);
        Removal.removeText(metadata, "finalizers", StorageNames.VOLUME_PROTECTION);
        Deletion deletion = Deletion.of(object, 0, subject.now());
        Proposal.Builder event = subject.event("VolumeDeleted");
        if (deletion instanceof Deletion.Removed) {
            event.remove(subject.volume().stored());
        } else {
            ObjectNode kept = deletion instanceof Deletion.Marked marked ? marked.object() : object;
            event.replace(subject.volume().stored(), subject.draft(kept));
        }
        return event.remove(operation.stored());
    }

    /** It is empty, and is offered again: to all, or, if a user kept it for a claim, to that one's successor. */
    Proposal recycled() {
        ObjectNode object = subject.volume().copy();
        ObjectNode spec = (ObjectNode) object.get("spec");
        if (subject.volume().isBoundByController()) {
            spec.remove("claimRef");
            ObjectNode metadata = (ObjectNode) object.get("metadata");
            ObjectNode annotations = (ObjectNode) metadata.get("annotations");
            annotations.remove(StorageNames.BOUND_BY_CONTROLLER);
            if (annotations.isEmpty()) {
                metadata.remove("annotations");
            }
        } else {
            ((ObjectNode) spec.get("claimRef")).remove(List.of("uid", "resourceVersion"));
        }
        Phases.set(object, "Available", "", "", subject.now());
        return subject.telling(
                subject.event("VolumeRecycled")
                        .replace(subject.volume().stored(), subject.draft(object))
                        .remove(operation.stored()),
                subject.normal("VolumeRecycled", "Volume recycled"));
    }
}
