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
 * A VolumeOperation: work on the data of a volume that a controller has decided and a node does. Immutable; any thread.
 *
 * <pre>
 *   (controller creates) ──▶ Pending ──▶ Running ──▶ Succeeded ──▶ (controller acts upon it and removes it)
 *                                  ▲         └─────▶ Failed, tried again at nextTry
 *                                  └───────────────────┘
 * </pre>
 */
public final class VolumeOperation extends View {
    /** What is to be done. */
    public enum Work {
        PROVISION("Provision"),
        DELETE("Delete"),
        SCRUB("Scrub"),
        GROW("Grow");

        private final String text;

        Work(String text) {
            this.text = text;
        }

        public static Optional<Work> of(String text) {
            for (Work each : values()) {
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

    /** Nothing if it is something this version does not know. */
    public Optional<Work> work() {
        return Work.of(spec().path("operation").asText(""));
    }

    /** The node that is to do it. */
    public String node() {
        return spec().path("node").asText("");
    }

    public String provisioner() {
        return spec().path("provisioner").asText("");
    }

    /** Name of the PersistentVolume that exists, or will. */
    public String volume() {
        return spec().path("persistentVolume").asText("");
    }

    /** Identity of that PersistentVolume, which what is made for it carries as its marker. */
    public String volumeUid() {
        return spec().path("persistentVolumeUID").asText("");
    }

    /** The claim it is made for. */
    public Optional<ClaimRef> claim() {
        JsonNode claim = spec().path("claim");
        return claim.isObject() ? Optional.of(ClaimRef.of(claim)) : Optional.empty();
    }

    /** Whether the volume is still of the claim that it was of when this was ordered, or still of none. */
    public boolean isForClaimOf(Volume volume) {
        String was = claim().map(ClaimRef::uid).orElse("");
        String is = volume.claimRef().map(ClaimRef::uid).orElse("");
        return was.equals(is);
    }

    /** Name of the class, "" for none. */
    public String className() {
        return spec().path("storageClassName").asText("");
    }

    /** Where below its base the data is to be made; "" unless this is a Provision. */
    public String path() {
        return spec().path("path").asText("");
    }

    /** Where the data is, as in a PersistentVolume: {@code {hostPath: {path: …}}}. Nothing for a Provision. */
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

    /** Pending, Running, Succeeded or Failed. */
    public String state() {
        return status().path("state").asText(PENDING);
    }

    public boolean hasSucceeded() {
        return state().equals(SUCCEEDED);
    }

    public boolean hasFailed() {
        return state().equals(FAILED);
    }

    /** How many times in a row it failed. */
    public int attempts() {
        return status().path("attempts").asInt(0);
    }

    public Optional<Instant> nextTry() {
        return status().hasNonNull("nextTry") ? Optional.of(time(status().path("nextTry"))) : Optional.empty();
    }

    /** What went wrong the last time, in words; "" if nothing did. */
    public String error() {
        return status().path("lastError").path("message").asText("");
    }

    /** What went wrong the last time, in one word; "" if nothing did. */
    public String errorReason() {
        return status().path("lastError").path("reason").asText("");
    }

    /** Where the data was made, as in a PersistentVolume. */
    public Optional<ObjectNode> madeSource() {
        return status().path("source") instanceof ObjectNode source ? Optional.of(source) : Optional.empty();
    }

    /** How large it came to be. */
    public Optional<Quantity> madeCapacity() {
        return Claim.quantity(status().path("capacity"));
    }

    /** Whether a file system in it is still to be grown by whoever mounts it next. */
    public boolean isFileSystemResizePending() {
        return status().path("fileSystemResizePending").asBoolean(false);
    }
}
