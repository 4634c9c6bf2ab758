package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A reference to a Pod, and to no other of the same name. */
public record PodOf(String namespace, String name, String uid) {
    public static PodOf of(JsonNode reference) {
        return new PodOf(
                reference.path("namespace").asText(""),
                reference.path("name").asText(""),
                reference.path("uid").asText(""));
    }

    public static PodOf of(Pod pod) {
        return new PodOf(pod.namespace(), pod.name(), pod.uid());
    }

    public ObjectNode json() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("namespace", namespace)
                .put("name", name)
                .put("uid", uid);
    }
}
