package dev.mooring.control.provision;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Phases;
import dev.mooring.control.bind.Bind;
import dev.mooring.model.Quantity;
import dev.mooring.model.provision.ClassParameters;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The PersistentVolume that stands for what a node has made: bound from the start, and as Kubernetes' own provisioners would write it. Pure. */
final class ProvisionedVolume {
    /** On a volume: what becomes of its data when it is deleted, if the class says so. Whoever reclaims it reads it. */
    static final String ON_DELETE = "mooring.dev/on-delete";

    /** On a volume: the base its data lies below, if the class says so. */
    static final String BASE_PATH = "mooring.dev/base-path";

    private static final String DELETE = "Delete";

    private ProvisionedVolume() {}

    /**
     * Writes it.
     *
     * @param operation that has succeeded
     * @param source where the data is
     * @param node that made it; nothing if it is gone
     */
    static ObjectNode of(VolumeOperation operation, ObjectNode source, Claim claim, Optional<Node> node, Instant now) {
        String policy = operation.annotation(Operations.RECLAIM_POLICY).orElse(DELETE);
        ObjectNode volume = JsonNodeFactory.instance.objectNode();
        volume.put("apiVersion", "v1").put("kind", "PersistentVolume");
        metadata(volume.putObject("metadata"), operation, policy, now);
        ObjectNode spec = volume.putObject("spec");
        Quantity capacity = operation.madeCapacity().orElseGet(claim::request);
        spec.putObject("capacity").put("storage", capacity.toString());
        for (Map.Entry<String, JsonNode> each : source.properties()) {
            spec.set(each.getKey(), each.getValue().deepCopy());
        }
        spec.set("accessModes", claim.spec().path("accessModes").deepCopy());
        spec.set("claimRef", Bind.reference(claim));
        spec.put("persistentVolumeReclaimPolicy", policy);
        spec.put("storageClassName", operation.className());
        List<String> options = Operations.mountOptions(operation);
        if (!options.isEmpty()) {
            ArrayNode list = spec.putArray("mountOptions");
            options.forEach(list::add);
        }
        spec.put("volumeMode", claim.mode().toString());
        if (!operation.provisioner().equals(StorageNames.NFS_PROVISIONER)) {
            affinity(spec, hostName(operation, node));
        }
        Phases.set(volume, "Bound", "", "", now);
        return volume;
    }

    private static void metadata(ObjectNode metadata, VolumeOperation operation, String policy, Instant now) {
        metadata.put("name", operation.volume());
        metadata.put("uid", operation.volumeUid());
        metadata.put("creationTimestamp", Operations.seconds(now));
        ObjectNode annotations = metadata.putObject("annotations");
        annotations.put(StorageNames.BOUND_BY_CONTROLLER, "yes");
        annotations.put(StorageNames.PROVISIONED_BY, operation.provisioner());
        ClassParameters parameters = ClassParameters.of(operation.parameters());
        parameters.onDelete().ifPresent(what -> annotations.put(ON_DELETE, what));
        parameters.basePath().ifPresent(base -> annotations.put(BASE_PATH, base));
        ArrayNode finalizers = metadata.putArray("finalizers");
        finalizers.add(StorageNames.VOLUME_PROTECTION);
        if (policy.equals(DELETE)) {
            finalizers.add(StorageNames.VOLUME_CONTROLLER);
        }
    }

    /** What other volumes on that node call it: its label, which need not be its name. */
    private static String hostName(VolumeOperation operation, Optional<Node> node) {
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
