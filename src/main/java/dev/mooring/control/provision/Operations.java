package dev.mooring.control.provision;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.provision.ClassParameters;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.Work;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/**
 * How the work of making a volume is written down, and how it is written anew when things come otherwise. A claim has at most one such
 * operation, under a name made of its uid; its volume has a uid before it exists, made of the claim's uid and the volume's name. So whoever
 * decides again after a crash decides the same. Pure; any thread.
 */
final class Operations {
    /** What the names of these operations begin with. */
    static final String PREFIX = "provision-";

    /** What the class said when the work began: a class may be replaced by another of its name meanwhile. */
    static final String RECLAIM_POLICY = "mooring.dev/reclaim-policy";

    /** The same; one in a line. */
    static final String MOUNT_OPTIONS = "mooring.dev/mount-options";

    private static final String SPEC = "spec";

    private Operations() {}

    static boolean isOurs(ObjectKey key) {
        return key.resource().equals(StorageNames.OPERATIONS) && key.name().startsWith(PREFIX);
    }

    static ObjectKey key(String claimUid) {
        return VolumeOperation.key(PREFIX + claimUid);
    }

    static String volumeUid(String claimUid, String volume) {
        return uuid(claimUid + '/' + volume);
    }

    /**
     * What is to be made and where.
     *
     * @param volume name of the PersistentVolume
     * @param path below the base
     */
    record Order(Claim claim, StorageClass storageClass, String node, String volume, String path) {}

    /** The operation that makes a volume. */
    static ObjectNode provision(Order order, Instant now) {
        Claim claim = order.claim();
        StorageClass storageClass = order.storageClass();
        ObjectNode operation = JsonNodeFactory.instance.objectNode();
        operation.put("apiVersion", "mooring.dev/v1").put("kind", "VolumeOperation");
        ObjectNode metadata = operation.putObject("metadata");
        metadata.put("name", PREFIX + claim.uid());
        metadata.put("uid", uuid(PREFIX + claim.uid() + '@' + claim.revision() + '@' + now));
        metadata.put("creationTimestamp", seconds(now));
        ObjectNode annotations = metadata.putObject("annotations");
        annotations.put(RECLAIM_POLICY, storageClass.reclaimPolicy());
        if (!storageClass.mountOptions().isEmpty()) {
            annotations.put(MOUNT_OPTIONS, String.join("\n", storageClass.mountOptions()));
        }
        ObjectNode spec = operation.putObject(SPEC);
        spec.put("operation", Work.PROVISION.toString());
        spec.put("node", order.node());
        spec.put("provisioner", storageClass.provisioner());
        spec.put("persistentVolume", order.volume());
        spec.put("persistentVolumeUID", volumeUid(claim.uid(), order.volume()));
        spec.putObject("claim")
                .put("namespace", claim.namespace())
                .put("name", claim.name())
                .put("uid", claim.uid());
        spec.put("storageClassName", storageClass.name());
        spec.put("path", order.path());
        spec.put("volumeMode", claim.mode().toString());
        spec.put("capacity", claim.request().toString());
        ObjectNode parameters = spec.putObject("parameters");
        storageClass.parameters().forEach(parameters::put);
        return operation;
    }

    /** The operation, made to remove what it has made or begun to make. Nobody has used that, so none of it is kept or archived. */
    static ObjectNode deletion(VolumeOperation operation) {
        ObjectNode deletion = operation.copy();
        ObjectNode spec = (ObjectNode) deletion.get(SPEC);
        spec.put("operation", Work.DELETE.toString());
        operation.madeSource().ifPresent(source -> spec.set("source", source.deepCopy()));
        if (spec.get("parameters") instanceof ObjectNode parameters) {
            parameters.remove(ClassParameters.ON_DELETE);
        }
        deletion.remove("status");
        return deletion;
    }

    /** The operation, given to another node from the beginning. */
    static ObjectNode movedTo(VolumeOperation operation, String node) {
        ObjectNode moved = operation.copy();
        ((ObjectNode) moved.get(SPEC)).put("node", node);
        moved.remove("status");
        return moved;
    }

    static List<String> mountOptions(VolumeOperation operation) {
        return operation
                .annotation(MOUNT_OPTIONS)
                .map(text -> text.lines().toList())
                .orElse(List.of());
    }

    static boolean isProvision(VolumeOperation operation) {
        return operation.work().filter(Work.PROVISION::equals).isPresent();
    }

    /** Whether the node has said nothing yet; it says so before it touches anything. */
    static boolean isUntouched(VolumeOperation operation) {
        return isProvision(operation) && operation.state().equals(VolumeOperation.PENDING);
    }

    /** Whether another node finds the same data: it is on a server that does not depend on who asks. */
    static boolean isReachableFromAnywhere(VolumeOperation operation) {
        ClassParameters parameters = ClassParameters.of(operation.parameters());
        return operation.provisioner().equals(StorageNames.NFS_PROVISIONER)
                && (operation.source().isPresent()
                        || (parameters.server().isPresent()
                                && parameters.share().isPresent()));
    }

    static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String uuid(String text) {
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
