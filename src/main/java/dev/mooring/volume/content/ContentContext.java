package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.PodTokens;
import java.util.Optional;

/**
 * The Pod that a volume is built for, and access to other objects.
 *
 * @param pod must not be modified
 */
record ContentContext(ObjectNode pod, ObjectLookup objects, PodTokens tokens) {
    JsonNode metadata() {
        return pod.path("metadata");
    }

    String namespace() {
        return metadata().path("namespace").asText("");
    }

    /** Returns an object of the Pod's namespace; empty if it does not exist or the name is invalid. */
    Optional<ObjectNode> find(String resource, String name) {
        return ObjectKey.ifValid(resource + '/' + namespace() + '/' + name).flatMap(objects::find);
    }

    /** Returns the Pod's node. */
    Optional<ObjectNode> node() {
        String name = pod.path("spec").path("nodeName").asText("");
        return ObjectKey.ifValid("nodes/" + name).flatMap(objects::find);
    }
}
