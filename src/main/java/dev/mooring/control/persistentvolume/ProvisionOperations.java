package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.OperationType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Builds and edits provisioning operations. A claim has at most one, with a name derived from its uid. The volume's uid
 * is derived in advance from the claim's uid and the volume's name. So a decision repeated after a crash is the same.
 * Pure; thread-safe.
 */
final class ProvisionOperations {
    /** Name prefix of these operations. */
    static final String PREFIX = "provision-";

    /** The class's reclaim policy when the operation was created; the class may be replaced meanwhile. */
    static final String RECLAIM_POLICY = "mooring.dev/reclaim-policy";

    /** The class's mount options when the operation was created, one per line. */
    static final String MOUNT_OPTIONS = "mooring.dev/mount-options";

    private static final String SPEC = "spec";

    private ProvisionOperations() {}

    static boolean isProvisionOperation(ObjectKey key) {
        return key.resource().equals(StorageNames.OPERATIONS) && key.name().startsWith(PREFIX);
    }

    static ObjectKey key(String claimUid) {
        return VolumeOperation.key(PREFIX + claimUid);
    }

    static String volumeUid(String claimUid, String volume) {
        return uuid(claimUid + '/' + volume);
    }

    /**
     * What to provision, and where.
     *
     * @param volume name of the PersistentVolume
     * @param path below the base
     * @param namespaceUid uid of the claim's namespace
     */
    record ProvisionRequest(
            Claim claim, StorageClass storageClass, String node, String volume, String path, String namespaceUid) {}

    /** Returns the operation that provisions a volume. */
    static ObjectNode provision(ProvisionRequest request, Instant now) {
        Claim claim = request.claim();
        StorageClass storageClass = request.storageClass();
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
        spec.put("operation", OperationType.PROVISION.toString());
        spec.put("node", request.node());
        spec.put("provisioner", storageClass.provisioner());
        spec.put("persistentVolume", request.volume());
        spec.put("persistentVolumeUID", volumeUid(claim.uid(), request.volume()));
        spec.putObject("claim")
                .put("namespace", claim.namespace())
                .put("name", claim.name())
                .put("uid", claim.uid());
        spec.put("namespaceUID", request.namespaceUid());
        spec.put("storageClassName", storageClass.name());
        spec.put("path", request.path());
        spec.put("volumeMode", claim.mode().toString());
        spec.put("capacity", claim.request().toString());
        ObjectNode parameters = spec.putObject("parameters");
        storageClass.parameters().forEach(parameters::put);
        return operation;
    }

    /**
     * Turns the operation into the removal of its result. The volume was never used, so nothing is retained or
     * archived.
     *
     * @param createdSource where the volume was created, if that is certain
     */
    static ObjectNode deletion(VolumeOperation operation, Optional<ObjectNode> createdSource) {
        ObjectNode deletion = operation.copy();
        ObjectNode spec = (ObjectNode) deletion.get(SPEC);
        spec.put("operation", OperationType.DELETE.toString());
        createdSource.ifPresent(source -> spec.set("source", source.deepCopy()));
        if (spec.get("parameters") instanceof ObjectNode parameters) {
            parameters.remove(ClassParameters.ON_DELETE);
        }
        deletion.remove("status");
        return deletion;
    }

    /** Assigns the operation to another node, reset to pending. */
    static ObjectNode movedTo(VolumeOperation operation, String node) {
        ObjectNode moved = operation.copy();
        ((ObjectNode) moved.get(SPEC)).put("node", node);
        moved.remove("status");
        return moved;
    }

    /** Marks the operation failed, because its node reported an invalid result. */
    static ObjectNode rejected(VolumeOperation operation, String problem, Instant now, Instant nextTry) {
        ObjectNode refused = operation.copy();
        ObjectNode status = refused.putObject("status");
        status.put("state", VolumeOperation.FAILED).put("since", seconds(now));
        status.put("attempts", operation.attempts() + 1).put("nextTry", seconds(nextTry));
        status.putObject("lastError")
                .put("reason", "ReportRefused")
                .put("message", problem)
                .put("operation", "volume_provision")
                .put("time", seconds(now));
        return refused;
    }

    static List<String> mountOptions(VolumeOperation operation) {
        return operation
                .annotation(MOUNT_OPTIONS)
                .map(text -> text.lines().toList())
                .orElse(List.of());
    }

    static boolean isProvision(VolumeOperation operation) {
        return operation.operationType().filter(OperationType.PROVISION::equals).isPresent();
    }

    /** Returns whether the node has not reported anything yet; it does so before it changes anything. */
    static boolean isNotStarted(VolumeOperation operation) {
        return isProvision(operation) && operation.state().equals(VolumeOperation.PENDING);
    }

    /** Returns whether another node reaches the same data, because it is on a network server. */
    static boolean isReachableFromAnywhere(VolumeOperation operation) {
        ClassParameters parameters = ClassParameters.of(operation.parameters());
        return !isNodeBound(operation)
                && (operation.source().isPresent()
                        || SourceTypes.ofProvisioner(operation.provisioner())
                                .filter(type -> type.isLocatedBy(parameters))
                                .isPresent());
    }

    /** Returns whether only one node can access the provisioned data. */
    static boolean isNodeBound(VolumeOperation operation) {
        return SourceTypes.ofProvisioner(operation.provisioner())
                .filter(type -> !type.isNodeBound())
                .isEmpty();
    }

    static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String uuid(String text) {
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
