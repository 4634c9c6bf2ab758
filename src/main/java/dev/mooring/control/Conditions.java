package dev.mooring.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Optional;

/**
 * Edits {@code status.conditions} of an object, which has at most one condition of each type. Other conditions are
 * preserved.
 */
public final class Conditions {
    private static final String TYPE = "type";
    private static final String STATUS = "status";
    private static final String TRANSITION = "lastTransitionTime";

    private Conditions() {}

    /** Returns the condition of a type. */
    public static Optional<ObjectNode> find(JsonNode object, String type) {
        for (JsonNode each : object.path(STATUS).path("conditions")) {
            if (each instanceof ObjectNode condition
                    && condition.path(TYPE).asText("").equals(type)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    /**
     * Sets a condition. {@code lastTransitionTime} changes only when the status changes.
     *
     * @param status True, False or Unknown
     * @return whether the condition changed
     */
    public static boolean put(
            ObjectNode object, String type, String status, String reason, String message, Instant now) {
        Optional<ObjectNode> found = find(object, type);
        if (found.isPresent()
                && found.get().path(STATUS).asText("").equals(status)
                && found.get().path("reason").asText("").equals(reason)
                && found.get().path("message").asText("").equals(message)) {
            return false;
        }
        ObjectNode condition = found.orElseGet(() ->
                object.withObject("/status").withArray("conditions").addObject().put(TYPE, type));
        if (!condition.path(STATUS).asText("").equals(status)) {
            condition.put(STATUS, status);
            condition.put(TRANSITION, now.truncatedTo(ChronoUnit.SECONDS).toString());
        }
        // kubectl describe prints the year 0001 for a claim's condition that has no lastProbeTime.
        if (object.path("kind").asText("").equals("PersistentVolumeClaim")) {
            condition.put("lastProbeTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
        }
        condition.put("reason", reason).put("message", message);
        return true;
    }

    /** Removes a condition, and the list if it becomes empty. Returns whether the condition existed. */
    public static boolean remove(ObjectNode object, String type) {
        if (!(object.path(STATUS).path("conditions") instanceof ArrayNode conditions)) {
            return false;
        }
        boolean removed = false;
        for (Iterator<JsonNode> each = conditions.iterator(); each.hasNext(); ) {
            if (each.next().path(TYPE).asText("").equals(type)) {
                each.remove();
                removed = true;
            }
        }
        if (conditions.isEmpty()) {
            ((ObjectNode) object.get(STATUS)).remove("conditions");
        }
        return removed;
    }
}
