package dev.mooring.node.desired;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import java.util.Set;

/**
 * A volume of a Pod that containers of it use. Immutable.
 *
 * @param name within the Pod
 * @param volume as it stands in {@code spec.volumes}
 * @param uses in which ways, at least one
 */
record UsedVolume(String name, JsonNode volume, Set<Use> uses) {
    /** What a container gets. */
    enum Use {
        /** A directory: {@code volumeMounts}. */
        MOUNT,
        /** A device: {@code volumeDevices}. */
        DEVICE
    }

    UsedVolume {
        uses = Set.copyOf(uses);
    }

    boolean isEphemeral() {
        return claimNamed().isEmpty() && volume.hasNonNull("ephemeral");
    }

    /** The claim it stands for in this Pod; "" if it stands for none. */
    String claimName(Pod pod) {
        return isEphemeral() ? pod.ephemeralClaim(name) : claimNamed();
    }

    private String claimNamed() {
        return claim().path("claimName").asText("");
    }

    boolean isClaimReadOnly() {
        return claim().path("readOnly").asBoolean(false);
    }

    private JsonNode claim() {
        return volume.path("persistentVolumeClaim");
    }
}
