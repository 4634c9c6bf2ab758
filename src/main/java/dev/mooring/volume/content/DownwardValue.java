package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.PodTokens;
import dev.mooring.volume.VolumeException;

/** Computes downward API values for use outside of volumes, such as in a container's environment. Stateless. */
public final class DownwardValue {
    private DownwardValue() {}

    /**
     * Returns the value of a {@code fieldRef}.
     *
     * @param path of a metadata field, such as {@code metadata.labels['app']}
     */
    public static String field(ObjectNode pod, String path) throws VolumeException {
        return FieldValue.of(pod.path("metadata"), path);
    }

    /**
     * Returns the value of a {@code resourceFieldRef}.
     *
     * @param reference a {@code resourceFieldRef} that names its container
     * @param objects to look up the node, whose allocatable resources replace missing limits
     */
    public static String resource(ObjectNode pod, JsonNode reference, ObjectLookup objects) throws VolumeException {
        return ResourceValue.of(new ContentContext(pod, objects, PodTokens.NONE), reference);
    }
}
