package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.BindProposals;
import dev.mooring.control.Phases;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Builds the PersistentVolume for a provisioned volume: bound from the start, and as Kubernetes' own provisioners write
 * it. Pure.
 */
final class ProvisionedVolume {
    /**
     * Annotation of a volume: what happens to its data when it is deleted, if the class sets it. Read by the reclaim
     * controller.
     */
    static final String ON_DELETE = "mooring.dev/on-delete";

    /** Annotation of a volume: the base directory of its data, if the class sets it. */
    static final String BASE_PATH = "mooring.dev/base-path";

    private static final String DELETE = "Delete";

    private ProvisionedVolume() {}

    /**
     * Builds the PersistentVolume.
     *
     * @param operation that has succeeded
     * @param source where the data is
     * @param node that provisioned it; empty if it is gone
     */
    static ObjectNode of(VolumeOperation operation, ObjectNode source, Claim claim, Optional<Node> node, Instant now) {
        String policy = operation.annotation(ProvisionOperations.RECLAIM_POLICY).orElse(DELETE);
        ObjectNode volume = JsonNodeFactory.instance.objectNode();
        volume.put("apiVersion", "v1").put("kind", "PersistentVolume");
        metadata(volume.putObject("metadata"), operation, policy, now);
        ObjectNode spec = volume.putObject("spec");
        Quantity capacity = operation.resultCapacity().orElseGet(claim::request);
        spec.putObject("capacity").put("storage", capacity.toString());
        for (Map.Entry<String, JsonNode> each : source.properties()) {
            spec.set(each.getKey(), each.getValue().deepCopy());
        }
        spec.set("accessModes", claim.spec().path("accessModes").deepCopy());
        spec.set("claimRef", BindProposals.claimReference(claim));
        spec.put("persistentVolumeReclaimPolicy", policy);
        spec.put("storageClassName", operation.className());
        List<String> options = ProvisionOperations.mountOptions(operation);
        if (!options.isEmpty()) {
            ArrayNode list = spec.putArray("mountOptions");
            options.forEach(list::add);
        }
        spec.put("volumeMode", claim.mode().toString());
        if (ProvisionOperations.isNodeBound(operation)) {
            affinity(spec, hostName(operation, node));
        }
        Phases.set(volume, "Bound", "", "", now);
        return volume;
    }

    private static void metadata(ObjectNode metadata, VolumeOperation operation, String policy, Instant now) {
        metadata.put("name", operation.volume());
        metadata.put("uid", operation.volumeUid());
        metadata.put("creationTimestamp", ProvisionOperations.seconds(now));
        ObjectNode annotations = metadata.putObject("annotations");
        annotations.put(StorageNames.BOUND_BY_CONTROLLER, "yes");
        annotations.put(StorageNames.PROVISIONED_BY, operation.provisioner());
        ClassParameters parameters = ClassParameters.of(operation.parameters());
        parameters.onDelete().ifPresent(action -> annotations.put(ON_DELETE, action));
        parameters.basePath().ifPresent(base -> annotations.put(BASE_PATH, base));
        ArrayNode finalizers = metadata.putArray("finalizers");
        finalizers.add(StorageNames.VOLUME_PROTECTION);
        if (policy.equals(DELETE)) {
            finalizers.add(StorageNames.VOLUME_CONTROLLER);
        }
    }

    /** Returns the hostname label of the node, which may differ from its name. */
    static String hostName(VolumeOperation operation, Optional<Node> node) {
        return node.map(each -> each.labels().path(StorageNames.HOST_NAME).asText(""))
                .filter(label -> !label.isEmpty())
                .orElseGet(operation::node);
    }

    private static void affinity(ObjectNode spec, String hostName) {
        ObjectNode term = spec.putObject("nodeAffinity")
                .putObject("required")
                .putArray("nodeSelectorTerms")
                .addObject();
        term.putArray("matchExpressions")
                .addObject()
                .put("key", StorageNames.HOST_NAME)
                .put("operator", "In")
                .putArray("values")
                .add(hostName);
    }
}
