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
 * Deletes objects on behalf of a controller as an API client would: respects finalizers and the grace period of Pods.
 * Pure; thread-safe.
 *
 * @param actor the controller
 * @param cause why the object is deleted
 */
public record ObjectDeleter(String actor, Cause cause) {
    private static final long DEFAULT_POD_GRACE_SECONDS = 30;

    /**
     * Returns the proposal that deletes an object or sets its deletionTimestamp; empty if it is already terminating and
     * still has finalizers.
     */
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
     * Returns the proposal that removes a finalizer, and the object with it if that was the last obstacle to its
     * deletion.
     *
     * @param object the object as read; modified
     */
    public Proposal removeFinalizer(StoredObject seen, ObjectNode object, String finalizer) {
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        removeText(metadata, "finalizers", finalizer);
        return update(seen, object, "FinalizerRemoved");
    }

    /**
     * Returns the proposal that writes an object, or removes it if this change clears the last obstacle to its
     * deletion.
     *
     * @param typeSuffix suffix of the event's type, after the kind
     */
    public Proposal update(StoredObject seen, ObjectNode object, String typeSuffix) {
        if (Deletion.isDue(object)) {
            return event(object, "Deleted").remove(seen).build();
        }
        return event(object, typeSuffix)
                .replace(seen, Draft.of(seen.key(), object))
                .build();
    }

    /**
     * Returns the proposal that sets a terminating Pod's grace period to 0 and removes it if it has no finalizers;
     * empty if the grace period is already 0.
     *
     * @param pod the Pod as read; modified
     */
    public Optional<Proposal> endGracePeriod(StoredObject seen, ObjectNode pod) {
        ObjectNode metadata = (ObjectNode) pod.get("metadata");
        boolean changed = metadata.path("deletionGracePeriodSeconds").asLong(-1) != 0;
        metadata.put("deletionGracePeriodSeconds", 0);
        return changed || Deletion.isDue(pod) ? Optional.of(update(seen, pod, "Ended")) : Optional.empty();
    }

    /** Removes a text from a list, and the list if it becomes empty. Returns whether the text was found. */
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

    private Proposal.Builder event(ObjectNode object, String typeSuffix) {
        return Proposal.by(actor, object.path("kind").asText() + typeSuffix).because(cause);
    }

    /** Returns the grace period: that of an unfinished Pod which is assigned to a node, otherwise 0. */
    private static long graceSeconds(ObjectNode object) {
        if (!object.path("kind").asText().equals("Pod")) {
            return 0;
        }
        JsonNode spec = object.path("spec");
        String phase = object.path("status").path("phase").asText("");
        if (spec.path("nodeName").asText("").isEmpty() || phase.equals("Succeeded") || phase.equals("Failed")) {
            return 0;
        }
        long requested = spec.path("terminationGracePeriodSeconds").asLong(DEFAULT_POD_GRACE_SECONDS);
        return requested < 0 ? 1 : requested;
    }
}
