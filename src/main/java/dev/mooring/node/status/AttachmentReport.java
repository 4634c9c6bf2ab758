package dev.mooring.node.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Optional;

/**
 * What a node says of a VolumeAttachment whose attacher it is. Pure; any thread.
 *
 * <p>An attachment that is attached carries a finalizer of ours, so that one being deleted stays until the device is gone, and no other
 * node gets the volume before.
 */
public final class AttachmentReport {
    /** As attachers of Kubernetes name theirs. */
    public static final String FINALIZER = "external-attacher/block-mooring-dev";

    /** The API takes 1,024 bytes, and a character can take four. */
    private static final int MAX_MESSAGE = 256;

    private AttachmentReport() {}

    /**
     * It is being attached: to be committed before anything is done on the machine. Nothing if it was announced already, or is being
     * deleted.
     */
    public static Optional<Proposal> attaching(StoredObject seen, String node) {
        ObjectNode attachment = Tree.of(seen);
        if (isGoing(attachment) || hasFinalizer(attachment)) {
            return Optional.empty();
        }
        attachment.withObject("/metadata").withArray("finalizers").add(FINALIZER);
        return Optional.of(changed(seen, attachment, node, "VolumeAttaching"));
    }

    /** It is attached, as this device. Nothing if that is known. */
    public static Optional<Proposal> attached(StoredObject seen, String node, String devicePath) {
        ObjectNode attachment = Tree.of(seen);
        ObjectNode status = attachment.withObject("/status");
        JsonNode known = status.path("attachmentMetadata").path("devicePath");
        if (status.path("attached").asBoolean(false) && known.asText("").equals(devicePath)) {
            return Optional.empty();
        }
        status.put("attached", true).remove("attachError");
        status.withObject("/attachmentMetadata").put("devicePath", devicePath);
        if (!hasFinalizer(attachment) && !isGoing(attachment)) {
            attachment.withObject("/metadata").withArray("finalizers").add(FINALIZER);
        }
        return Optional.of(changed(seen, attachment, node, "VolumeAttached"));
    }

    /** It could not be attached or, if it is being deleted, detached. Nothing if the same was said before. */
    public static Optional<Proposal> failed(StoredObject seen, String node, String message, Instant now) {
        ObjectNode attachment = Tree.of(seen);
        String field = isGoing(attachment) ? "detachError" : "attachError";
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

    /** The device is gone: an attachment that is being deleted goes, one that is not is attached no more. */
    public static Proposal detached(StoredObject seen, String node) {
        ObjectNode attachment = Tree.of(seen);
        ObjectNode status = attachment.withObject("/status").put("attached", false);
        status.remove("attachmentMetadata");
        status.remove("detachError");
        removeFinalizer(attachment);
        return Deletion.isDue(attachment)
                ? Proposal.by("node/" + node, "VolumeDetached").remove(seen).build()
                : changed(seen, attachment, node, "VolumeDetached");
    }

    private static boolean isGoing(ObjectNode attachment) {
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
