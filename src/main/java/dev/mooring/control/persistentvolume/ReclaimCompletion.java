package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.BindProposals;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.control.Phases;
import dev.mooring.model.EventReasons;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;

/** Completes an operation of a node: one event removes the operation and updates the volume. Pure. */
final class ReclaimCompletion {
    private final ReclaimContext context;
    private final VolumeOperation operation;

    ReclaimCompletion(ReclaimContext subject, VolumeOperation operation) {
        this.context = subject;
        this.operation = operation;
    }

    /** Removes the volume after its data is deleted; if it has other finalizers, only marks it. */
    Proposal.Builder deleted() {
        ObjectNode object = context.volume().copy();
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        ObjectDeleter.removeText(metadata, "finalizers", StorageNames.VOLUME_CONTROLLER);
        ObjectDeleter.removeText(metadata, "finalizers", StorageNames.VOLUME_PROTECTION);
        Deletion deletion = Deletion.of(object, 0, context.now());
        Proposal.Builder event = context.event("VolumeDeleted");
        if (deletion instanceof Deletion.Removed) {
            event.remove(context.volume().stored());
        } else {
            ObjectNode kept = deletion instanceof Deletion.Marked marked ? marked.object() : object;
            event.replace(context.volume().stored(), context.draft(kept));
        }
        return event.remove(operation.stored());
    }

    /**
     * Makes a scrubbed volume Available again, for any claim, or for a new claim of the same name if a user reserved
     * it.
     */
    Proposal recycled() {
        ObjectNode object = BindProposals.unbound(context.volume());
        Phases.set(object, "Available", "", "", context.now());
        return context.withEvent(
                context.event("VolumeRecycled")
                        .replace(context.volume().stored(), context.draft(object))
                        .remove(operation.stored()),
                context.normal(EventReasons.VOLUME_RECYCLED, "Volume recycled"));
    }
}
