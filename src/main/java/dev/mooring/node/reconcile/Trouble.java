package dev.mooring.node.reconcile;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What went wrong, as it stands in an ActualVolume. */
record Trouble(String operation, String reason, String message, String raw) {
    private static final String ATTEMPTS = "attempts";
    private static final String NEXT_TRY = "nextTry";
    private static final String LAST_ERROR = "lastError";

    void write(ObjectNode place, int attempts, Duration wait, Instant now) {
        place.put(ATTEMPTS, attempts);
        // Not in whole seconds, as times usually are: the first waits are shorter than that.
        place.put(NEXT_TRY, now.plus(wait).truncatedTo(ChronoUnit.MILLIS).toString());
        ObjectNode error = place.putObject(LAST_ERROR).put("reason", reason).put("message", message);
        if (!raw.isEmpty()) {
            error.put("raw", raw);
        }
        error.put("operation", operation).put("time", Brackets.time(now));
    }

    static void forget(ObjectNode place) {
        place.remove(ATTEMPTS);
        place.remove(NEXT_TRY);
        place.remove(LAST_ERROR);
        place.remove("tried");
    }
}
