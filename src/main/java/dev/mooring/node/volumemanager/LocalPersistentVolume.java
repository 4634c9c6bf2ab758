package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Digests;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/** Builds the PersistentVolume of a discovered entry, as a user would create it through the API. Pure; any thread. */
final class LocalPersistentVolume {
    /** Annotation: the node that discovered and manages the volume. */
    static final String DISCOVERED_BY = StorageNames.DISCOVERED_BY;

    /** Annotation: why the capacity is not enforced. */
    static final String SIZE_NOT_ENFORCED = "mooring.dev/size-not-enforced";

    private static final String HOST_NAME = "kubernetes.io/hostname";
    private static final int NAME_BYTES = 4;

    private LocalPersistentVolume() {}

    /** Returns a name that is stable per path, so that an entry is not discovered twice. */
    static String name(String node, Path path) {
        return "local-pv-" + Digests.sha256Hex(node + '\0' + path, NAME_BYTES);
    }

    static ObjectNode of(DiscoveredEntry found, World world, String node, Instant now) {
        String host = labels(world, node).path(HOST_NAME).asText(node);
        String created = now.truncatedTo(ChronoUnit.SECONDS).toString();
        String capacity = Quantity.ofBytes(found.bytes()).canonical();
        ObjectNode volume = JsonNodeFactory.instance.objectNode();
        volume.put("kind", "PersistentVolume").put("apiVersion", "v1");
        ObjectNode metadata = volume.putObject("metadata");
        metadata.put("name", name(node, found.path()))
                .put("uid", uid(found, world, node))
                .put("creationTimestamp", created);
        metadata.putObject("labels").put(HOST_NAME, host);
        ObjectNode annotations = metadata.putObject("annotations").put(DISCOVERED_BY, node);
        if (found.type() == DiscoveredEntry.EntryType.PLAIN) {
            annotations.put(
                    SIZE_NOT_ENFORCED,
                    found.path() + " is a directory, not a mount point; it shares " + capacity
                            + " with everything else on its file system");
        }
        metadata.putArray("finalizers").add(StorageNames.VOLUME_PROTECTION);
        ObjectNode spec = volume.putObject("spec");
        spec.putObject("capacity").put("storage", capacity);
        spec.putObject("local").put("path", found.path().toString());
        spec.putArray("accessModes").add("ReadWriteOnce");
        spec.put("persistentVolumeReclaimPolicy", policy(found));
        spec.put("storageClassName", found.directory().storageClass());
        spec.put("volumeMode", mode(found).toString());
        spec.putObject("nodeAffinity")
                .putObject("required")
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchExpressions")
                .addObject()
                .put("key", HOST_NAME)
                .put("operator", "In")
                .putArray("values")
                .add(host);
        volume.putObject("status").put("phase", "Pending").put("lastPhaseTransitionTime", created);
        return volume;
    }

    /** Returns the node's labels, or the default labels if its Node does not exist yet. */
    static JsonNode labels(World world, String node) {
        return world.get(Node.key(node))
                .map(stored -> Node.of(stored).labels())
                .orElseGet(() -> JsonNodeFactory.instance.objectNode().put(HOST_NAME, node));
    }

    /** Returns the reclaim policy. Devices are retained: wiping one would overwrite all of it. */
    private static String policy(DiscoveredEntry found) {
        return found.directory().wipe() && found.type() != DiscoveredEntry.EntryType.DEVICE ? "Delete" : "Retain";
    }

    private static VolumeMode mode(DiscoveredEntry found) {
        return found.type() == DiscoveredEntry.EntryType.DEVICE ? VolumeMode.BLOCK : VolumeMode.FILESYSTEM;
    }

    /**
     * Returns a UID that differs when a removed volume is discovered again, and is equal when the same decision is
     * repeated.
     */
    private static String uid(DiscoveredEntry found, World world, String node) {
        String unique = node + '/' + found.path() + '/' + world.revision();
        return UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
