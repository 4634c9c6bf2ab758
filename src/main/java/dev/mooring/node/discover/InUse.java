package dev.mooring.node.discover;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.util.Optional;

/** Whether a node still has a volume: mounted, attached, or on the way there or back. Pure; any thread. */
final class InUse {
    private InUse() {}

    /** Looks at everything that is mounted; only objects that mention the volume are read. */
    static boolean isUsed(World world, String volume) {
        return isNamed(world, StorageNames.ACTUAL_VOLUMES, volume) || isNamed(world, StorageNames.ATTACHMENTS, volume);
    }

    private static boolean isNamed(World world, String resource, String volume) {
        for (StoredObject each : world.list(Scope.resource(resource))) {
            if (StoredJson.mentions(each, volume)) {
                JsonNode object = StoredJson.tree(each);
                if (named(object).equals(volume) && !isOnlyAnAttempt(object)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The volume that an ActualVolume, a VolumeAttachment or a VolumeOperation is about, if a volume can have that name. */
    static Optional<String> volumeOf(StoredObject object) {
        String volume = named(StoredJson.tree(object));
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

    /** One that failed before anything was mounted, or that nobody has begun. */
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
