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

/** An ActualVolume: a volume as a node has it. Immutable; any thread. */
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
     * @param volume its identity on the node
     * @param directoryName to make the name readable
     */
    public static ObjectKey key(String node, String volume, String directoryName) {
        return ObjectKey.clusterWide(
                StorageNames.ACTUAL_VOLUMES, NodeVolumeNames.of(directoryName, node + '/' + volume));
    }

    public String node() {
        return spec().path("node").asText("");
    }

    /** Its identity on the node. */
    public String volume() {
        return spec().path("volume").asText("");
    }

    public String plugin() {
        return spec().path("plugin").asText("");
    }

    /** "" if it is none, or that is not known any more. */
    public String persistentVolume() {
        return spec().path("persistentVolume").asText("");
    }

    public ObjectNode source() {
        return spec().path("source") instanceof ObjectNode source ? source : JsonNodeFactory.instance.objectNode();
    }

    public VolumeMode mode() {
        return VolumeMode.of(spec().path("volumeMode"));
    }

    /** One of the states above. */
    public String state() {
        return status().path("state").asText("");
    }

    /** What is being done to the volume as such, not for a single Pod; "" for nothing. */
    public String operation() {
        return status().path("operation").asText("");
    }

    /** Attached, Attaching, Uncertain, or "" if the device is not there or there is no such step. */
    public String attachment() {
        return status().path("attachment").asText("");
    }

    /** "" if there is none. */
    public String devicePath() {
        return status().path("devicePath").asText("");
    }

    /** "" if there is none. */
    public String deviceMountPath() {
        return status().path("deviceMountPath").asText("");
    }

    /** Mounted, Mounting, Uncertain, or "" if it is not ready for all Pods or there is no such step. */
    public String deviceMount() {
        return status().path("deviceMount").asText("");
    }

    public Optional<Quantity> capacity() {
        return Claim.quantity(status().path("capacity"));
    }

    public boolean isReconstructed() {
        return status().path("reconstructed").asBoolean(false);
    }

    /** How trying goes for the volume as such. */
    public Trying trying() {
        return Trying.of(status());
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

        public PodOf pod() {
            return PodOf.of(json.path("pod"));
        }

        /** Within the Pod. */
        public String volumeName() {
            return json.path("volumeName").asText("");
        }

        /** Mounting, Mounted, Uncertain, Unmounting or Failed. */
        public String state() {
            return json.path("state").asText("");
        }

        public boolean isMounted() {
            return state().equals(MOUNTED);
        }

        /** "" for nothing. */
        public String operation() {
            return json.path("operation").asText("");
        }

        public boolean isReadOnly() {
            return json.path("readOnly").asBoolean(false);
        }

        /** Stands for what it shows. */
        public String content() {
            return json.path("content").asText("");
        }

        public Trying trying() {
            return Trying.of(json);
        }
    }

    /**
     * How trying goes.
     *
     * @param attempts how many in a row have failed
     * @param nextTry when to try again, if that was said
     * @param failedOperation what failed the last time; "" if nothing has
     * @param reason why, in one word
     * @param tried stands for what was wanted then
     */
    public record Trying(int attempts, Optional<Instant> nextTry, String failedOperation, String reason, String tried) {
        static Trying of(JsonNode json) {
            Instant next = time(json.path("nextTry"));
            return new Trying(
                    json.path("attempts").asInt(0),
                    next.equals(Instant.EPOCH) ? Optional.empty() : Optional.of(next),
                    json.path("lastError").path("operation").asText(""),
                    json.path("lastError").path("reason").asText(""),
                    json.path("tried").asText(""));
        }
    }
}
