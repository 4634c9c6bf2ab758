package dev.mooring.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What deleting an object means: it goes at once, or it is marked and stays until its finalizers, or the time its Pod needs to end, are
 * through. The rules of Kubernetes; pure, and the same for users and controllers.
 */
public sealed interface Deletion {
    /** Nothing holds it any more. */
    record Removed() implements Deletion {}

    /** It stays, and says since when it is to go. */
    record Marked(ObjectNode object) implements Deletion {}

    /** It is being deleted already, and this changes nothing. */
    record Pending() implements Deletion {}

    /**
     * Decides a deletion.
     *
     * @param object as it is; not modified
     * @param graceSeconds how long its Pod may take to end; 0 for everything that is no Pod on a node
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
        mark(marked, now.plusSeconds(graceSeconds), graceSeconds);
        return new Marked(marked);
    }

    /** Whether an object that is marked can go now; to be asked after each change of it. */
    static boolean isDue(ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        return metadata.hasNonNull("deletionTimestamp")
                && metadata.path("deletionGracePeriodSeconds").asLong(0) == 0
                && !isHeld(object);
    }

    /** A second deletion may only shorten the time. */
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
