package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.List;
import java.util.Optional;

/**
 * A VolumeAttachment of a PersistentVolume.
 *
 * @param devicePath "" if the attacher has not reported it
 */
record Attachment(ObjectKey key, String volume, String node, State state, String devicePath) {
    /** State of a VolumeAttachment. */
    enum State {
        /** Requested; the volume may or may not be attached yet. */
        REQUESTED,
        ATTACHED,
        /** Being deleted. */
        DELETING
    }

    private static final Index<String> BY_NODE = Index.of(
            "VolumeAttachments by node",
            Scope.resource(StorageNames.ATTACHMENTS),
            stored -> of(stored).map(Attachment::node).stream().toList());

    static ObjectKey key(String name) {
        return ObjectKey.clusterWide(StorageNames.ATTACHMENTS, name);
    }

    /** Parses a VolumeAttachment; empty if it refers to no PersistentVolume or no node. */
    static Optional<Attachment> of(StoredObject stored) {
        ObjectNode tree = stored.tree();
        JsonNode spec = tree.path("spec");
        String volume = spec.path("source").path("persistentVolumeName").asText("");
        String node = spec.path("nodeName").asText("");
        if (volume.isEmpty() || node.isEmpty()) {
            return Optional.empty();
        }
        JsonNode status = tree.path("status");
        return Optional.of(new Attachment(
                stored.key(),
                volume,
                node,
                state(tree),
                status.path("attachmentMetadata").path("devicePath").asText("")));
    }

    private static State state(ObjectNode tree) {
        if (tree.path("metadata").hasNonNull("deletionTimestamp")) {
            return State.DELETING;
        }
        return tree.path("status").path("attached").asBoolean(false) ? State.ATTACHED : State.REQUESTED;
    }

    /** Returns the attachments of a PersistentVolume, by key. */
    static List<Attachment> ofVolume(World world, String volume) {
        return parsed(world.find(Indexes.ATTACHMENTS_BY_VOLUME, Volume.key(volume)));
    }

    /** Returns the attachments to a node, by key. */
    static List<Attachment> toNode(World world, String node) {
        return parsed(world.find(BY_NODE, node));
    }

    private static List<Attachment> parsed(List<StoredObject> attachments) {
        return attachments.stream().flatMap(each -> of(each).stream()).toList();
    }
}
