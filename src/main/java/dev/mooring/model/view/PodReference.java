package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import java.util.Optional;

/** A reference to a Pod by name and uid. */
public record PodReference(String namespace, String name, String uid) {
    public static PodReference of(JsonNode reference) {
        return new PodReference(
                reference.path("namespace").asText(""),
                reference.path("name").asText(""),
                reference.path("uid").asText(""));
    }

    public static PodReference of(Pod pod) {
        return new PodReference(pod.namespace(), pod.name(), pod.uid());
    }

    /** Returns the key of the Pod; empty if the reference is invalid. */
    public Optional<ObjectKey> key() {
        return ObjectKey.ifValid("pods/" + namespace + '/' + name);
    }

    public ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("namespace", namespace)
                .put("name", name)
                .put("uid", uid);
    }
}
