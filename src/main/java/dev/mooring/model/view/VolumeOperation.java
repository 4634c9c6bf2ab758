package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A VolumeOperation: work on the data of a volume that a controller requests and a node executes. Immutable; thread-safe.
 *
 * <pre>
 *   (controller creates) ──▶ Pending ──▶ Running ──▶ Succeeded ──▶ (controller handles the result and removes it)
 *                                  ▲         └─────▶ Failed, retried at nextTry
 *                                  └───────────────────┘
 * </pre>
 */
public final class VolumeOperation extends View {
    /** Type of an operation. */
    public enum OperationType {
        PROVISION("Provision"),
        DELETE("Delete"),
        SCRUB("Scrub"),
        GROW("Grow");

        private final String text;

        OperationType(String text) {
            this.text = text;
        }

        public static Optional<OperationType> of(String text) {
            for (OperationType each : values()) {
                if (each.text.equals(text)) {
                    return Optional.of(each);
                }
            }
            return Optional.empty();
        }

        @Override
        public String toString() {
            return text;
        }
    }

    public static final String PENDING = "Pending";
    public static final String RUNNING = "Running";
    public static final String SUCCEEDED = "Succeeded";
    public static final String FAILED = "Failed";

    private VolumeOperation(StoredObject stored) {
        super(stored);
    }

    public static VolumeOperation of(StoredObject stored) {
        return new VolumeOperation(stored);
    }

    public static ObjectKey key(String name) {
        return ObjectKey.clusterWide(StorageNames.OPERATIONS, name);
    }

    /** Returns the type; empty if this version does not know it. */
    public Optional<OperationType> operationType() {
        return OperationType.of(spec().path("operation").asText(""));
    }

    /** Returns the node that executes it. */
    public String node() {
        return spec().path("node").asText("");
    }

    public String provisioner() {
        return spec().path("provisioner").asText("");
    }

    /** Returns the name of the existing or future PersistentVolume. */
    public String volume() {
        return spec().path("persistentVolume").asText("");
    }

    /** Returns the uid of that PersistentVolume, which is also the marker of its data. */
    public String volumeUid() {
        return spec().path("persistentVolumeUID").asText("");
    }

    /** Returns the claim it was created for. */
    public Optional<ClaimRef> claim() {
        JsonNode claim = spec().path("claim");
        return claim.isObject() ? Optional.of(ClaimRef.of(claim)) : Optional.empty();
    }

    /** Returns the uid of that claim's namespace; "" if unknown. */
    public String namespaceUid() {
        return spec().path("namespaceUID").asText("");
    }

    /**
     * Returns whether the volume's claim is the same as when the operation was created, or there was none and is none.
     */
    public boolean isForClaimOf(Volume volume) {
        String was = claim().map(ClaimRef::uid).orElse("");
        String is = volume.claimRef().map(ClaimRef::uid).orElse("");
        return was.equals(is);
    }

    /** Returns the class; "" for none. */
    public String className() {
        return spec().path("storageClassName").asText("");
    }

    /** Returns the path of the data below its base; "" unless this is a Provision. */
    public String path() {
        return spec().path("path").asText("");
    }

    /** Returns the path of the data below a base directory. */
    public String pathBelow(String base) {
        return (base.endsWith("/") ? base : base + '/') + path();
    }

    /**
     * Returns the location of the data as in a PersistentVolume: {@code {hostPath: {path: …}}}. Empty for a Provision.
     */
    public Optional<ObjectNode> source() {
        return spec().path("source") instanceof ObjectNode source ? Optional.of(source) : Optional.empty();
    }

    public Optional<Quantity> capacity() {
        return Claim.quantity(spec().path("capacity"));
    }

    public VolumeMode mode() {
        return VolumeMode.of(spec().path("volumeMode"));
    }

    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> each : spec().path("parameters").properties()) {
            parameters.put(each.getKey(), each.getValue().asText(""));
        }
        return parameters;
    }

    /** Returns Pending, Running, Succeeded or Failed. */
    public String state() {
        return status().path("state").asText(PENDING);
    }

    public boolean hasSucceeded() {
        return state().equals(SUCCEEDED);
    }

    public boolean hasFailed() {
        return state().equals(FAILED);
    }

    /** Returns the number of consecutive failures. */
    public int attempts() {
        return status().path("attempts").asInt(0);
    }

    public Optional<Instant> nextTry() {
        return status().hasNonNull("nextTry") ? Optional.of(time(status().path("nextTry"))) : Optional.empty();
    }

    /** Returns the message of the last error; "" if none. */
    public String error() {
        return status().path("lastError").path("message").asText("");
    }

    /** Returns the reason of the last error; "" if none. */
    public String errorReason() {
        return status().path("lastError").path("reason").asText("");
    }

    /** Returns the location of the provisioned data as in a PersistentVolume. */
    public Optional<ObjectNode> resultSource() {
        return status().path("source") instanceof ObjectNode source ? Optional.of(source) : Optional.empty();
    }

    /** Returns the resulting capacity. */
    public Optional<Quantity> resultCapacity() {
        return Claim.quantity(status().path("capacity"));
    }

    /** Returns the node's message about the result; "" if none. */
    public String message() {
        return status().path("message").asText("");
    }

    /** Returns whether the file system must still be grown at the next mount. */
    public boolean isFileSystemResizePending() {
        return status().path("fileSystemResizePending").asBoolean(false);
    }
}
