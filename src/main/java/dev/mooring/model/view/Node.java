package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A Node. Immutable; thread-safe. */
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

    /** Returns whether it is unschedulable. */
    public boolean isCordoned() {
        return spec().path("unschedulable").asBoolean(false);
    }

    /** Returns the taints; missing if it has none. */
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

    /** Returns the version of its container engine, the last known one if the engine is unavailable; "" if unknown. */
    public String engineVersion() {
        return status().path("nodeInfo").path("containerRuntimeVersion").asText("");
    }

    /** Returns the default base directories for new volumes, by kind, such as {@code hostpath}. */
    public Map<String, String> volumeBases() {
        Map<String, String> bases = new HashMap<>();
        for (Map.Entry<String, JsonNode> each : metadata().path("annotations").properties()) {
            if (each.getKey().startsWith(StorageNames.VOLUME_BASE)) {
                bases.put(
                        each.getKey().substring(StorageNames.VOLUME_BASE.length()),
                        each.getValue().asText(""));
            }
        }
        return bases;
    }

    /** Returns whether it has reported not to be ready; a node without conditions may be ready. */
    public boolean isKnownNotReady() {
        return condition("Ready")
                .filter(ready -> !ready.path("status").asText("").equals("True"))
                .isPresent();
    }
}
