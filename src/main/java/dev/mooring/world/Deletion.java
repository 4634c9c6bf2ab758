package dev.mooring.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The effect of deleting an object: it is removed at once, or it is marked and stays until its finalizers are removed
 * and the Pod's grace period is over. Kubernetes' rules; pure, and the same for users and controllers.
 */
public sealed interface Deletion {
    /** The object can be removed now. */
    record Removed() implements Deletion {}

    /** The object stays with a deletionTimestamp. */
    record Marked(ObjectNode object) implements Deletion {}

    /** The object is already terminating, and nothing changes. */
    record Pending() implements Deletion {}

    /**
     * Decides a deletion.
     *
     * @param object the current object; not modified
     * @param graceSeconds grace period of a Pod on a node; 0 for everything else
     */
    static Deletion of(ObjectNode object, long graceSeconds, Instant now) {
        JsonNode metadata = object.path("metadata");
        if (metadata.hasNonNull("deletionTimestamp")) {
            return again(object, graceSeconds);
        }
        if (graceSeconds == 0 && !isHeld(object)) {
            return new Removed();
        }
        ObjectNode marked = object.deepCopy();
        if (metadata.hasNonNull("generation")) {
            // As in Kubernetes: controllers of a terminating object act differently.
            ((ObjectNode) marked.get("metadata"))
                    .put("generation", metadata.path("generation").asLong() + 1);
        }
        mark(marked, now.plusSeconds(graceSeconds), graceSeconds);
        return new Marked(marked);
    }

    /** Returns whether a terminating object can be removed now. Call it after each change of the object. */
    static boolean isDue(ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        return metadata.hasNonNull("deletionTimestamp")
                && metadata.path("deletionGracePeriodSeconds").asLong(0) == 0
                && !isHeld(object);
    }

    /** Handles a repeated deletion, which may only shorten the grace period. */
    private static Deletion again(ObjectNode object, long graceSeconds) {
        JsonNode metadata = object.path("metadata");
        long left = metadata.path("deletionGracePeriodSeconds").asLong(0);
        if (graceSeconds == 0 && !isHeld(object)) {
            return new Removed();
        }
        if (graceSeconds >= left) {
            return new Pending();
        }
        Instant end = Instant.parse(metadata.path("deletionTimestamp").asText());
        ObjectNode sooner = object.deepCopy();
        mark(sooner, end.minusSeconds(left - graceSeconds), graceSeconds);
        return new Marked(sooner);
    }

    private static void mark(ObjectNode object, Instant end, long graceSeconds) {
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        metadata.put("deletionTimestamp", end.truncatedTo(ChronoUnit.SECONDS).toString());
        metadata.put("deletionGracePeriodSeconds", Math.toIntExact(graceSeconds));
        if (isNamespace(object)) {
            object.withObject("/status").put("phase", "Terminating");
        }
    }

    private static boolean isHeld(ObjectNode object) {
        return !object.path("metadata").path("finalizers").isEmpty()
                || (isNamespace(object)
                        && !object.path("spec").path("finalizers").isEmpty());
    }

    private static boolean isNamespace(ObjectNode object) {
        return object.path("kind").asText().equals("Namespace");
    }
}
