package dev.mooring.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;
import java.time.Instant;
import java.util.Iterator;
import java.util.Optional;

/**
 * How a controller gets rid of an object: as a user would, with finalizers respected and Pods given their time. Pure; any thread.
 *
 * @param actor the controller
 * @param cause why
 */
public record Removal(String actor, Cause cause) {
    private static final long DEFAULT_POD_GRACE_SECONDS = 30;

    /** The proposal that deletes an object or marks it to be deleted; nothing if it is marked and something still holds it. */
    public Optional<Proposal> delete(StoredObject seen, ObjectNode object, Instant now) {
        return delete(seen, object, graceSeconds(object), now);
    }

    private Optional<Proposal> delete(StoredObject seen, ObjectNode object, long graceSeconds, Instant now) {
        Deletion deletion = Deletion.of(object, graceSeconds, now);
        if (deletion instanceof Deletion.Removed) {
            return Optional.of(event(object, "Deleted").remove(seen).build());
        }
        if (deletion instanceof Deletion.Marked marked) {
            return Optional.of(event(object, "DeletionRequested")
                    .replace(seen, Draft.of(seen.key(), marked.object()))
                    .build());
        }
        return Optional.empty();
    }

    /**
     * The proposal that takes a finalizer away, and the object with it if nothing else holds it.
     *
     * @param object as seen; modified
     */
    public Proposal release(StoredObject seen, ObjectNode object, String finalizer) {
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        removeText(metadata, "finalizers", finalizer);
        return changed(seen, object, "FinalizerRemoved");
    }

    /**
     * The proposal that an object be as it now is, or go if with this change nothing holds it any more.
     *
     * @param what happened, to follow the kind in the event's type
     */
    public Proposal changed(StoredObject seen, ObjectNode object, String what) {
        if (Deletion.isDue(object)) {
            return event(object, "Deleted").remove(seen).build();
        }
        return event(object, what).replace(seen, Draft.of(seen.key(), object)).build();
    }

    /**
     * The proposal that a Pod that is being deleted need not be waited for any longer, and goes if nothing else holds it; nothing if that is known.
     *
     * @param pod as seen; modified
     */
    public Optional<Proposal> end(StoredObject seen, ObjectNode pod) {
        ObjectNode metadata = (ObjectNode) pod.get("metadata");
        boolean news = metadata.path("deletionGracePeriodSeconds").asLong(-1) != 0;
        metadata.put("deletionGracePeriodSeconds", 0);
        return news || Deletion.isDue(pod) ? Optional.of(changed(seen, pod, "Ended")) : Optional.empty();
    }

    /** Removes a text from a list, and the list with the last one; whether it was there. */
    public static boolean removeText(ObjectNode parent, String list, String text) {
        if (!(parent.get(list) instanceof ArrayNode texts)) {
            return false;
        }
        boolean removed = false;
        for (Iterator<JsonNode> each = texts.iterator(); each.hasNext(); ) {
            if (each.next().asText().equals(text)) {
                each.remove();
                removed = true;
            }
        }
        if (texts.isEmpty()) {
            parent.remove(list);
        }
        return removed;
    }

    private Proposal.Builder event(ObjectNode object, String what) {
        return Proposal.by(actor, object.path("kind").asText() + what).because(cause);
    }

    /** A Pod on a node gets time to end there; everything else needs none. */
    private static long graceSeconds(ObjectNode object) {
        if (!object.path("kind").asText().equals("Pod")) {
            return 0;
        }
        JsonNode spec = object.path("spec");
        String phase = object.path("status").path("phase").asText("");
        if (spec.path("nodeName").asText("").isEmpty() || phase.equals("Succeeded") || phase.equals("Failed")) {
            return 0;
        }
        long asked = spec.path("terminationGracePeriodSeconds").asLong(DEFAULT_POD_GRACE_SECONDS);
        return asked < 0 ? 1 : asked;
    }
}
