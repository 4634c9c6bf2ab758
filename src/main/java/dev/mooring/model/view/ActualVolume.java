package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An ActualVolume: the observed state of a volume on a node. Immutable; thread-safe. */
public final class ActualVolume extends View {
    public static final String ATTACHING = "Attaching";
    public static final String ATTACHED = "Attached";
    public static final String MOUNTING = "Mounting";
    public static final String MOUNTED = "Mounted";
    public static final String UNCERTAIN = "Uncertain";
    public static final String UNMOUNTING = "Unmounting";
    public static final String FAILED = "Failed";

    private ActualVolume(StoredObject stored) {
        super(stored);
    }

    public static ActualVolume of(StoredObject stored) {
        return new ActualVolume(stored);
    }

    /**
     * @param volume its unique name on the node
     * @param directoryName makes the object's name readable
     */
    public static ObjectKey key(String node, String volume, String directoryName) {
        return ObjectKey.clusterWide(
                StorageNames.ACTUAL_VOLUMES, NodeVolumeNames.of(directoryName, node + '/' + volume));
    }

    public String node() {
        return spec().path("node").asText("");
    }

    /** Returns its unique name on the node. */
    public String volume() {
        return spec().path("volume").asText("");
    }

    public String plugin() {
        return spec().path("plugin").asText("");
    }

    /** Returns the PersistentVolume; "" if it is none or no longer known. */
    public String persistentVolume() {
        return spec().path("persistentVolume").asText("");
    }

    public ObjectNode source() {
        return spec().path("source") instanceof ObjectNode source ? source : JsonNodeFactory.instance.objectNode();
    }

    public VolumeMode mode() {
        return VolumeMode.of(spec().path("volumeMode"));
    }

    /** Returns one of the states above. */
    public String state() {
        return status().path("state").asText("");
    }

    /** Returns the pending operation on the volume itself, not for a single Pod; "" for none. */
    public String operation() {
        return status().path("operation").asText("");
    }

    /** Returns Attached, Attaching, Uncertain, or "" if the device is not attached or the volume needs no attach. */
    public String attachment() {
        return status().path("attachment").asText("");
    }

    /** Returns the device path; "" if there is none. */
    public String devicePath() {
        return status().path("devicePath").asText("");
    }

    /** Returns the device mount path; "" if there is none. */
    public String deviceMountPath() {
        return status().path("deviceMountPath").asText("");
    }

    /** Returns Mounted, Mounting, Uncertain, or "" if the device is not mounted or the volume needs no device mount. */
    public String deviceMount() {
        return status().path("deviceMount").asText("");
    }

    public Optional<Quantity> capacity() {
        return Claim.quantity(status().path("capacity"));
    }

    public boolean isReconstructed() {
        return status().path("reconstructed").asBoolean(false);
    }

    /** Returns the retry state of the volume itself. */
    public RetryState retryState() {
        return RetryState.of(status());
    }

    public List<Mount> mounts() {
        List<Mount> mounts = new ArrayList<>();
        status().path("mounts").forEach(each -> mounts.add(new Mount(each)));
        return mounts;
    }

    public Optional<Mount> mountFor(String podUid) {
        return mounts().stream().filter(each -> each.pod().uid().equals(podUid)).findFirst();
    }

    /** A mount of a volume for one Pod. */
    public record Mount(JsonNode json) {
        public String path() {
            return json.path("path").asText("");
        }

        public PodReference pod() {
            return PodReference.of(json.path("pod"));
        }

        /** Returns the volume's name in the Pod. */
        public String volumeName() {
            return json.path("volumeName").asText("");
        }

        /** Returns Mounting, Mounted, Uncertain, Unmounting or Failed. */
        public String state() {
            return json.path("state").asText("");
        }

        public boolean isMounted() {
            return state().equals(MOUNTED);
        }

        /** Returns the pending operation; "" for none. */
        public String operation() {
            return json.path("operation").asText("");
        }

        public boolean isReadOnly() {
            return json.path("readOnly").asBoolean(false);
        }

        /** Returns the fingerprint of the mounted content. */
        public String content() {
            return json.path("content").asText("");
        }

        public RetryState retryState() {
            return RetryState.of(json);
        }
    }

    /**
     * The state of retries.
     *
     * @param attempts consecutive failures
     * @param nextTry when to retry, if known
     * @param failedOperation the last failed operation; "" if none
     * @param reason CamelCase reason
     * @param attemptedSpec fingerprint of the spec that was tried
     */
    public record RetryState(
            int attempts, Optional<Instant> nextTry, String failedOperation, String reason, String attemptedSpec) {
        static RetryState of(JsonNode json) {
            Instant next = time(json.path("nextTry"));
            return new RetryState(
                    json.path("attempts").asInt(0),
                    next.equals(Instant.EPOCH) ? Optional.empty() : Optional.of(next),
                    json.path("lastError").path("operation").asText(""),
                    json.path("lastError").path("reason").asText(""),
                    json.path("tried").asText(""));
        }
    }
}
