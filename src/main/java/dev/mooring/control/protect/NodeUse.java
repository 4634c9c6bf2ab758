package dev.mooring.control.protect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Which nodes have a volume: mounted, perhaps mounted, or attached. Nodes say so in ActualVolumes, the attacher in VolumeAttachments. A
 * volume that a node failed to mount, and has nothing of, is not used.
 *
 * <p>An attachment holds the volume, not the claim: the claim has no data.
 *
 * <p>Keeps {@link References}; for one thread.
 */
public final class NodeUse {
    /** What is to be followed to know which claims nodes have. */
    public static final Scope MOUNTS = Scope.resource(StorageNames.ACTUAL_VOLUMES);

    /** To be followed as well to know which volumes nodes have. */
    public static final Scope ATTACHMENTS = Scope.resource(StorageNames.ATTACHMENTS);

    private final References mounts = new References(NodeUse::mounted);
    private final References attachments = new References(NodeUse::attached);

    /**
     * Takes a change in {@link #MOUNTS} or {@link #ATTACHMENTS}.
     *
     * @return the volumes and claims that it may be about
     */
    public Set<ObjectKey> follow(Change change) {
        return MOUNTS.contains(change.key()) ? mounts.follow(change) : attachments.follow(change);
    }

    /** Who has a volume. */
    public List<NodeHold> of(World world, Volume volume) {
        List<NodeHold> holds = new ArrayList<>();
        for (StoredObject each : mounts.in(world, MOUNTS, volume.key())) {
            addHold(holds, StoredJson.tree(each));
        }
        for (StoredObject each : attachments.in(world, ATTACHMENTS, volume.key())) {
            holds.add(new NodeHold(
                    StoredJson.tree(each).path("spec").path("nodeName").asText(""), NodeHold.Way.ATTACHED));
        }
        return holds;
    }

    /** Who has a claim's volume mounted. */
    public List<NodeHold> of(World world, Claim claim) {
        List<NodeHold> holds = new ArrayList<>();
        for (StoredObject each : mounts.in(world, MOUNTS, claim.key())) {
            ObjectNode actual = StoredJson.tree(each);
            String uid = actual.path("spec").path("claim").path("uid").asText("");
            if (uid.isEmpty() || uid.equals(claim.uid())) {
                addHold(holds, actual);
            }
        }
        Keys.clusterWide(StorageNames.VOLUMES, claim.volumeName()).ifPresent(volume -> {
            for (StoredObject each : mounts.in(world, MOUNTS, volume)) {
                ObjectNode actual = StoredJson.tree(each);
                if (!actual.path("spec").path("claim").isObject() && isBound(world, volume, claim)) {
                    addHold(holds, actual);
                }
            }
        });
        return holds;
    }

    private static boolean isBound(World world, ObjectKey volume, Claim claim) {
        return world.get(volume)
                .map(Volume::of)
                .flatMap(Volume::claimRef)
                .filter(reference -> reference.admits(claim))
                .isPresent();
    }

    private static void addHold(List<NodeHold> holds, ObjectNode actual) {
        JsonNode status = actual.path("status");
        boolean nothing = status.path("mounts").isEmpty()
                && status.path("devicePath").asText("").isEmpty()
                && status.path("deviceMountPath").asText("").isEmpty();
        String state = status.path("state").asText("");
        if (nothing && state.equals("Failed")) {
            return;
        }
        NodeHold.Way way = state.equals("Uncertain") ? NodeHold.Way.UNCERTAIN : NodeHold.Way.MOUNTED;
        holds.add(new NodeHold(actual.path("spec").path("node").asText(""), way));
    }

    private static List<ObjectKey> mounted(StoredObject actual) {
        JsonNode spec = StoredJson.tree(actual).path("spec");
        JsonNode claim = spec.path("claim");
        List<ObjectKey> keys = new ArrayList<>();
        Keys.clusterWide(StorageNames.VOLUMES, spec.path("persistentVolume").asText(""))
                .ifPresent(keys::add);
        Keys.namespaced(
                        StorageNames.CLAIMS,
                        claim.path("namespace").asText(""),
                        claim.path("name").asText(""))
                .ifPresent(keys::add);
        return keys;
    }

    private static List<ObjectKey> attached(StoredObject attachment) {
        JsonNode source = StoredJson.tree(attachment).path("spec").path("source");
        return Keys.clusterWide(
                        StorageNames.VOLUMES,
                        source.path("persistentVolumeName").asText(""))
                .map(List::of)
                .orElse(List.of());
    }
}
