package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.util.Optional;

/** Checks whether any node still uses a volume: mounted, attached, or in transition. Pure; any thread. */
final class VolumeUseCheck {
    private VolumeUseCheck() {}

    /**
     * Returns whether a volume is in use. Iterates over all actual volumes; parses only objects that mention the
     * volume.
     */
    static boolean isUsed(World world, String volume) {
        return isNamed(world, StorageNames.ACTUAL_VOLUMES, volume) || isNamed(world, StorageNames.ATTACHMENTS, volume);
    }

    private static boolean isNamed(World world, String resource, String volume) {
        for (StoredObject each : world.list(Scope.resource(resource))) {
            if (each.containsText(volume)) {
                JsonNode object = each.toTree();
                if (named(object).equals(volume) && !isOnlyAnAttempt(object)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the volume of an ActualVolume, a VolumeAttachment or a VolumeOperation, if its name is valid. */
    static Optional<String> volumeOf(StoredObject object) {
        String volume = named(object.toTree());
        boolean possible =
                !volume.isEmpty() && volume.indexOf('/') < 0 && volume.chars().noneMatch(c -> c <= ' ' || c == 0x7f);
        return possible ? Optional.of(volume) : Optional.empty();
    }

    private static String named(JsonNode object) {
        JsonNode spec = object.path("spec");
        String volume = spec.path("persistentVolume").asText("");
        return volume.isEmpty()
                ? spec.path("source").path("persistentVolumeName").asText("")
                : volume;
    }

    /**
     * Returns whether the object is an ActualVolume without a mount and a device, whose first attempt failed or has not
     * started.
     */
    private static boolean isOnlyAnAttempt(JsonNode object) {
        if (!object.path("kind").asText("").equals("ActualVolume")) {
            return false;
        }
        JsonNode status = object.path("status");
        String state = status.path("state").asText("");
        return (state.isEmpty() || state.equals("Failed"))
                && status.path("mounts").isEmpty()
                && status.path("devicePath").asText("").isEmpty()
                && status.path("deviceMountPath").asText("").isEmpty();
    }
}
