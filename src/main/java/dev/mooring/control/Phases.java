package dev.mooring.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Edits the phase of a PersistentVolume with its reason, message and transition time. */
public final class Phases {
    private Phases() {}

    /**
     * @param reason CamelCase reason; "" for none
     * @param message human-readable message; "" for none
     */
    public static void set(ObjectNode volume, String phase, String reason, String message, Instant now) {
        ObjectNode status = volume.withObject("/status");
        if (!status.path("phase").asText("").equals(phase)) {
            status.put("phase", phase);
            status.put(
                    "lastPhaseTransitionTime",
                    now.truncatedTo(ChronoUnit.SECONDS).toString());
        }
        putOrRemove(status, "reason", reason);
        putOrRemove(status, "message", message);
    }

    private static void putOrRemove(ObjectNode status, String field, String text) {
        if (text.isEmpty()) {
            status.remove(field);
        } else {
            status.put(field, text);
        }
    }
}
