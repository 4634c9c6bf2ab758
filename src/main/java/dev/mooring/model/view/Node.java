package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.Optional;

/** A Node. Immutable; any thread. */
public final class Node extends View {
    private Node(StoredObject stored) {
        super(stored);
    }

    public static Node of(StoredObject stored) {
        return new Node(stored);
    }

    public static ObjectKey key(String name) {
        return ObjectKey.clusterWide("nodes", name);
    }

    /** Whether it takes no new Pods. */
    public boolean isCordoned() {
        return spec().path("unschedulable").asBoolean(false);
    }

    /** Missing if it has none. */
    public JsonNode taints() {
        return spec().path("taints");
    }

    public Optional<JsonNode> condition(String type) {
        for (JsonNode each : status().path("conditions")) {
            if (each.path("type").asText("").equals(type)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Of the container engine that it has or, if that is away, had; "" if it never had one. */
    public String engineVersion() {
        return status().path("nodeInfo").path("containerRuntimeVersion").asText("");
    }

    /** Whether it is known not to work; one that has not said anything yet may. */
    public boolean isKnownNotReady() {
        return condition("Ready")
                .filter(ready -> !ready.path("status").asText("").equals("True"))
                .isPresent();
    }
}
