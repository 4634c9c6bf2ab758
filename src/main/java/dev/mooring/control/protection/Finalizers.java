package dev.mooring.control.protection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Draft;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.View;
import dev.mooring.world.Proposal;
import java.util.ArrayList;
import java.util.List;

/** A finalizer that every object of a kind has. Pure; thread-safe. */
final class Finalizers {
    private final String actor;
    private final String finalizer;
    private final String firstEntryJson;

    Finalizers(String actor, String finalizer) {
        this.actor = actor;
        this.finalizer = finalizer;
        this.firstEntryJson = "\"finalizers\":[\"" + finalizer + '"';
    }

    /** Returns whether an object lacks the finalizer or is terminating. */
    boolean needsReconcile(StoredObject object) {
        if (StoredJson.isBeingDeleted(object)) {
            return true;
        }
        // Usually the first entry of the list, which a byte search finds; inside a string the quotes would be escaped.
        return !object.containsText(firstEntryJson) && !of(object.tree()).contains(finalizer);
    }

    /** Returns the proposal that adds the finalizer. */
    Proposal add(View seen) {
        ObjectNode object = seen.copy();
        add(object, finalizer);
        return Proposal.by(actor, object.path("kind").asText() + "FinalizerAdded")
                .because(seen.cause())
                .replace(seen.stored(), Draft.of(seen.key(), object))
                .build();
    }

    static void add(ObjectNode object, String finalizer) {
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        ArrayNode list =
                metadata.get("finalizers") instanceof ArrayNode present ? present : metadata.putArray("finalizers");
        list.add(finalizer);
    }

    /** Returns all finalizers of an object, in order. */
    static List<String> of(JsonNode object) {
        List<String> finalizers = new ArrayList<>();
        for (JsonNode each : object.path("metadata").path("finalizers")) {
            finalizers.add(each.asText(""));
        }
        return finalizers;
    }
}
