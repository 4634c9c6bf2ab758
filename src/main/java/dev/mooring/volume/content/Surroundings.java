package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.ObjectLookup;
import java.util.Optional;

/**
 * The Pod that a volume is for, and the objects there are.
 *
 * @param pod nobody changes it
 */
record Surroundings(ObjectNode pod, ObjectLookup objects) {
    JsonNode metadata() {
        return pod.path("metadata");
    }

    String namespace() {
        return metadata().path("namespace").asText("");
    }

    /** An object of the Pod's namespace. One whose name no object can have does not exist. */
    Optional<ObjectNode> find(String resource, String name) {
        return key(resource, namespace(), name).flatMap(objects::find);
    }

    /** The node the Pod is on. */
    Optional<ObjectNode> node() {
        String name = pod.path("spec").path("nodeName").asText("");
        return isName(name) ? objects.find(ObjectKey.clusterWide("nodes", name)) : Optional.empty();
    }

    /** Nothing if no object can have such a name. */
    static Optional<ObjectKey> key(String resource, String namespace, String name) {
        return isName(name) && isName(namespace)
                ? Optional.of(ObjectKey.namespaced(resource, namespace, name))
                : Optional.empty();
    }

    private static boolean isName(String text) {
        return !text.isEmpty()
                && text.length() <= ObjectKey.MAX_LENGTH / 4
                && text.chars().noneMatch(c -> c <= ' ' || c == '/' || c == 0x7f);
    }
}
