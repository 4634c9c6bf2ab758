package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import java.util.Set;

/**
 * A volume that containers of a Pod use. Immutable.
 *
 * @param name within the Pod
 * @param volume its entry in {@code spec.volumes}
 * @param uses how it is used, at least one
 */
record UsedVolume(String name, JsonNode volume, Set<Use> uses) {
    /** How a container uses a volume. */
    enum Use {
        /** As a directory: {@code volumeMounts}. */
        MOUNT,
        /** As a device: {@code volumeDevices}. */
        DEVICE
    }

    UsedVolume {
        uses = Set.copyOf(uses);
    }

    boolean isEphemeral() {
        return claimNamed().isEmpty() && volume.hasNonNull("ephemeral");
    }

    /** Returns the name of its claim in this Pod; "" if it has none. */
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
