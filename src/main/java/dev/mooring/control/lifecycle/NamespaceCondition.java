package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A condition in a Namespace's status. Pure. */
record NamespaceCondition(String type, String status, String reason, String message) {
    static NamespaceCondition isTrue(String type, String reason, String message) {
        return new NamespaceCondition(type, "True", reason, message);
    }

    static NamespaceCondition isFalse(String type, String reason, String message) {
        return new NamespaceCondition(type, "False", reason, message);
    }

    /**
     * Writes the condition in place of the one of its type. {@code lastTransitionTime} changes only with the status.
     * Returns whether anything changed.
     */
    boolean writeTo(ArrayNode conditions, Instant now) {
        for (JsonNode each : conditions) {
            if (each instanceof ObjectNode existing && text(existing, "type").equals(type)) {
                return update(existing, now);
            }
        }
        conditions
                .addObject()
                .put("type", type)
                .put("status", status)
                .put("lastTransitionTime", time(now))
                .put("reason", reason)
                .put("message", message);
        return true;
    }

    private boolean update(ObjectNode existing, Instant now) {
        if (text(existing, "status").equals(status)
                && text(existing, "reason").equals(reason)
                && text(existing, "message").equals(message)) {
            return false;
        }
        if (!text(existing, "status").equals(status)) {
            existing.put("status", status).put("lastTransitionTime", time(now));
        }
        existing.put("reason", reason).put("message", message);
        return true;
    }

    private static String text(ObjectNode condition, String field) {
        return condition.path(field).asText("");
    }

    private static String time(Instant now) {
        return now.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
