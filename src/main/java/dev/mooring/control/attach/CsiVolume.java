package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.Volume;
import java.util.Optional;

/**
 * A PersistentVolume that has to be attached, as far as that goes.
 *
 * @param claim whose it is, that very one; nothing if it is nobody's
 */
record CsiVolume(String driver, String handle, Sharing sharing, Optional<ClaimRef> claim) {
    /** How many nodes may have it at once. */
    enum Sharing {
        ONE_NODE,
        MANY_NODES
    }

    static Optional<CsiVolume> of(StoredObject stored) {
        Volume volume = Volume.of(stored);
        JsonNode csi = volume.spec().path("csi");
        String driver = csi.path("driver").asText("");
        String handle = csi.path("volumeHandle").asText("");
        if (driver.isEmpty() || handle.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new CsiVolume(
                driver, handle, sharing(volume.accessModes()), volume.claimRef().filter(ClaimRef::hasUid)));
    }

    /** One that names no mode may allow it; its driver will say. */
    private static Sharing sharing(AccessModes modes) {
        return modes.count() == 0 || modes.allowsManyNodes() ? Sharing.MANY_NODES : Sharing.ONE_NODE;
    }

    String attachmentTo(String node) {
        return CsiNames.attachment(driver, handle, node);
    }

    String unique() {
        return CsiNames.unique(driver, handle);
    }
}
