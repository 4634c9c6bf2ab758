package dev.mooring.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.Optional;

/** Edits {@code status.conditions} of an object, one of each type. Conditions of other types stay as they are. */
public final class Conditions {
    private static final String TYPE = "type";
    private static final String STATUS = "status";
    private static final String TRANSITION = "lastTransitionTime";

    private Conditions() {}

    /** The condition of a type. */
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
     * Says something about an object. The time of the transition is that of the last change from true to false or back.
     *
     * @param status True, False or Unknown
     * @return whether that is news
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
        condition.put("reason", reason).put("message", message);
        return true;
    }

    /** Whether there was one. The list goes with the last. */
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
