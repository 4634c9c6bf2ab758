package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.StoredObject;
import java.util.Optional;

/**
 * A VolumeAttachment of a PersistentVolume.
 *
 * @param devicePath "" if the attacher has not told
 */
record Attachment(String volume, String node, State state, String devicePath) {
    /** How far it is. */
    enum State {
        /** It is wanted, and may or may not have happened. */
        REQUESTED,
        ATTACHED,
        /** It is being deleted. */
        GOING
    }

    /** Nothing for one whose volume is no PersistentVolume. */
    static Optional<Attachment> of(StoredObject stored) {
        ObjectNode tree = StoredJson.tree(stored);
        JsonNode spec = tree.path("spec");
        String volume = spec.path("source").path("persistentVolumeName").asText("");
        String node = spec.path("nodeName").asText("");
        if (volume.isEmpty() || node.isEmpty()) {
            return Optional.empty();
        }
        JsonNode status = tree.path("status");
        return Optional.of(new Attachment(
                volume,
                node,
                state(tree),
                status.path("attachmentMetadata").path("devicePath").asText("")));
    }

    private static State state(ObjectNode tree) {
        if (tree.path("metadata").hasNonNull("deletionTimestamp")) {
            return State.GOING;
        }
        return tree.path("status").path("attached").asBoolean(false) ? State.ATTACHED : State.REQUESTED;
    }
}
