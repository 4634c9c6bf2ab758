package dev.mooring.control.protect;

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

/** A finalizer that every object of a kind has. Pure; any thread. */
final class Finalizers {
    private final String actor;
    private final String finalizer;
    private final String atOnce;

    Finalizers(String actor, String finalizer) {
        this.actor = actor;
        this.finalizer = finalizer;
        this.atOnce = "\"finalizers\":[\"" + finalizer + '"';
    }

    /** Whether an object needs to be looked at: it lacks the finalizer, or is being deleted. */
    boolean concerns(StoredObject object) {
        if (StoredJson.isBeingDeleted(object)) {
            return true;
        }
        // Mostly the first of the list, and then its bytes tell; within a text they would be escaped.
        return !StoredJson.mentions(object, atOnce)
                && !of(StoredJson.tree(object)).contains(finalizer);
    }

    /** The proposal that the object get it. */
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

    /** All finalizers of an object, in their order. */
    static List<String> of(JsonNode object) {
        List<String> finalizers = new ArrayList<>();
        for (JsonNode each : object.path("metadata").path("finalizers")) {
            finalizers.add(each.asText(""));
        }
        return finalizers;
    }
}
