package dev.mooring.node.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Optional;

/**
 * Proposals for the status of a VolumeAttachment whose attacher is this node. Pure; any thread.
 *
 * <p>An attached VolumeAttachment has a finalizer, so that it stays after deletion until the device is gone, and no
 * other node gets the volume before.
 */
public final class AttachmentReport {
    /** Named like finalizers of Kubernetes' attachers. */
    public static final String FINALIZER = StorageNames.BLOCK_ATTACHER;

    /** In characters: the API allows 1,024 bytes, and a character can take four. */
    private static final int MAX_MESSAGE = 256;

    private AttachmentReport() {}

    /**
     * Announces an attach; must be committed before anything is done on the machine. Empty if it is announced already,
     * or is being deleted.
     */
    public static Optional<Proposal> attaching(StoredObject seen, String node) {
        ObjectNode attachment = seen.toTree();
        if (isBeingDeleted(attachment) || hasFinalizer(attachment)) {
            return Optional.empty();
        }
        attachment.withObject("/metadata").withArray("finalizers").add(FINALIZER);
        return Optional.of(changed(seen, attachment, node, "VolumeAttaching"));
    }

    /** Reports an attached device; empty if it is known. */
    public static Optional<Proposal> attached(StoredObject seen, String node, String devicePath) {
        ObjectNode attachment = seen.toTree();
        ObjectNode status = attachment.withObject("/status");
        JsonNode known = status.path("attachmentMetadata").path("devicePath");
        if (status.path("attached").asBoolean(false) && known.asText("").equals(devicePath)) {
            return Optional.empty();
        }
        status.put("attached", true).remove("attachError");
        status.withObject("/attachmentMetadata").put("devicePath", devicePath);
        if (!hasFinalizer(attachment) && !isBeingDeleted(attachment)) {
            attachment.withObject("/metadata").withArray("finalizers").add(FINALIZER);
        }
        return Optional.of(changed(seen, attachment, node, "VolumeAttached"));
    }

    /** Reports a failed attach or, if it is being deleted, detach. Empty if the same failure is reported already. */
    public static Optional<Proposal> failed(StoredObject seen, String node, String message, Instant now) {
        ObjectNode attachment = seen.toTree();
        String field = isBeingDeleted(attachment) ? "detachError" : "attachError";
        String said = message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) : message;
        ObjectNode status = attachment.withObject("/status");
        if (status.path(field).path("message").asText("").equals(said)) {
            return Optional.empty();
        }
        if (!status.has("attached")) {
            status.put("attached", false);
        }
        status.putObject(field)
                .put("time", now.truncatedTo(ChronoUnit.SECONDS).toString())
                .put("message", said);
        return Optional.of(changed(seen, attachment, node, "VolumeAttachmentFailed"));
    }

    /** Reports a removed device: removes the attachment if it is being deleted, otherwise marks it as not attached. */
    public static Proposal detached(StoredObject seen, String node) {
        ObjectNode attachment = seen.toTree();
        ObjectNode status = attachment.withObject("/status").put("attached", false);
        status.remove("attachmentMetadata");
        status.remove("detachError");
        removeFinalizer(attachment);
        return Deletion.isDue(attachment)
                ? Proposal.by("node/" + node, "VolumeDetached").remove(seen).build()
                : changed(seen, attachment, node, "VolumeDetached");
    }

    private static boolean isBeingDeleted(ObjectNode attachment) {
        return attachment.path("metadata").hasNonNull("deletionTimestamp");
    }

    private static boolean hasFinalizer(ObjectNode attachment) {
        for (JsonNode each : attachment.path("metadata").path("finalizers")) {
            if (each.asText("").equals(FINALIZER)) {
                return true;
            }
        }
        return false;
    }

    private static void removeFinalizer(ObjectNode attachment) {
        ObjectNode metadata = attachment.withObject("/metadata");
        for (Iterator<JsonNode> each = metadata.path("finalizers").iterator(); each.hasNext(); ) {
            if (each.next().asText("").equals(FINALIZER)) {
                each.remove();
            }
        }
        if (metadata.path("finalizers").isEmpty()) {
            metadata.remove("finalizers");
        }
    }

    private static Proposal changed(StoredObject seen, ObjectNode attachment, String node, String type) {
        return Proposal.by("node/" + node, type)
                .replace(seen, Draft.of(seen.key(), attachment))
                .build();
    }
}
