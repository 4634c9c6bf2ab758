package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.VolumeException;

/** What files of a downward API volume say, for those who put it elsewhere, such as into a container's environment. Stateless. */
public final class DownwardValue {
    private DownwardValue() {}

    /** @param path of something in the Pod's metadata, such as {@code metadata.labels['app']} */
    public static String field(ObjectNode pod, String path) throws VolumeException {
        return FieldValue.of(pod.path("metadata"), path);
    }

    /**
     * @param reference a {@code resourceFieldRef} that names its container
     * @param objects for the node, which stands in for limits that a container does not have
     */
    public static String resource(ObjectNode pod, JsonNode reference, ObjectLookup objects) throws VolumeException {
        return ResourceValue.of(new Surroundings(pod, objects), reference);
    }
}
