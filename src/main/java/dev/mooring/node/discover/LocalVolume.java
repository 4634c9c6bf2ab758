package dev.mooring.node.discover;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.UUID;

/** What was found as a PersistentVolume, as if a person had created it through the API. Pure; any thread. */
final class LocalVolume {
    /** Which node found it and looks after it. */
    static final String DISCOVERED_BY = StorageNames.DISCOVERED_BY;

    /** Why its capacity is only a number. */
    static final String SIZE_NOT_ENFORCED = "mooring.dev/size-not-enforced";

    private static final String HOST_NAME = "kubernetes.io/hostname";
    private static final int NAME_BYTES = 4;

    private LocalVolume() {}

    /** The same for the same place, so that it cannot be found twice. */
    static String name(String node, Path path) {
        try {
            byte[] place = (node + '\0' + path).getBytes(StandardCharsets.UTF_8);
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(place);
            return "local-pv-" + HexFormat.of().formatHex(digest, 0, NAME_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected every Java to know SHA-256, but this one does not", e);
        }
    }

    static ObjectNode of(Found found, World world, String node, Instant now) {
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
        if (found.form() == Found.Form.PLAIN) {
            annotations.put(
                    SIZE_NOT_ENFORCED,
                    found.path() + " is a directory and no mount point; it shares " + capacity
                            + " with all else on that" + " file system");
        }
        metadata.putArray("finalizers").add(StorageNames.VOLUME_PROTECTION);
        ObjectNode spec = volume.putObject("spec");
        spec.putObject("capacity").put("storage", capacity);
        spec.putObject("local").put("path", found.path().toString());
        spec.putArray("accessModes").add("ReadWriteOnce");
        spec.put("persistentVolumeReclaimPolicy", policy(found));
        spec.put("storageClassName", found.in().storageClass());
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

    /** The node's labels; if it has not been told of yet, those it will have at least. */
    static JsonNode labels(World world, String node) {
        return world.get(Node.key(node))
                .map(stored -> Node.of(stored).labels())
                .orElseGet(() -> JsonNodeFactory.instance.objectNode().put(HOST_NAME, node));
    }

    /** A device is never wiped: what would have to be overwritten is all of it. */
    private static String policy(Found found) {
        return found.in().wipe() && found.form() != Found.Form.DEVICE ? "Delete" : "Retain";
    }

    private static VolumeMode mode(Found found) {
        return found.form() == Found.Form.DEVICE ? VolumeMode.BLOCK : VolumeMode.FILESYSTEM;
    }

    /** Another one after it was gone and is found again, the same when the same is decided twice. */
    private static String uid(Found found, World world, String node) {
        String unique = node + '/' + found.path() + '/' + world.revision();
        return UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
