package dev.mooring.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Edits the phase of a PersistentVolume, with the time of its last change and the words that go with it. */
public final class Phases {
    private Phases() {}

    /**
     * @param reason one word; "" for none
     * @param message sentences; "" for none
     */
    public static void set(ObjectNode volume, String phase, String reason, String message, Instant now) {
        ObjectNode status = volume.withObject("/status");
        if (!status.path("phase").asText("").equals(phase)) {
            status.put("phase", phase);
            status.put(
                    "lastPhaseTransitionTime",
                    now.truncatedTo(ChronoUnit.SECONDS).toString());
        }
        say(status, "reason", reason);
        say(status, "message", message);
    }

    private static void say(ObjectNode status, String field, String text) {
        if (text.isEmpty()) {
            status.remove(field);
        } else {
            status.put(field, text);
        }
    }
}
