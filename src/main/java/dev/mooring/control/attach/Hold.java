package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.StoredObject;
import java.util.Optional;
import java.util.Set;

/** An ActualVolume that keeps a volume from being detached: it is mounted on the node, or may be. */
record Hold(String volume, String node) {
    /** In these, nothing is mounted unless mounts are listed. What else there may be is taken for mounted. */
    private static final Set<String> NOT_MOUNTED = Set.of("", "Attaching", "Attached", "Failed");

    static Optional<Hold> of(StoredObject stored) {
        ObjectNode tree = StoredJson.tree(stored);
        JsonNode spec = tree.path("spec");
        String volume = spec.path("persistentVolume").asText("");
        return volume.isEmpty() || !isMounted(tree.path("status"))
                ? Optional.empty()
                : Optional.of(new Hold(volume, spec.path("node").asText("")));
    }

    private static boolean isMounted(JsonNode status) {
        return !NOT_MOUNTED.contains(status.path("state").asText(""))
                || !status.path("mounts").isEmpty()
                || !status.path("deviceMountPath").asText("").isEmpty();
    }
}
