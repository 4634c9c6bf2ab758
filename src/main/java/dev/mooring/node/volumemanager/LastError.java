package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The last error of an ActualVolume. */
record LastError(String operation, String reason, String message, String raw) {
    private static final String ATTEMPTS = "attempts";
    private static final String NEXT_TRY = "nextTry";
    private static final String LAST_ERROR = "lastError";

    void write(ObjectNode place, int attempts, Duration wait, Instant now) {
        place.put(ATTEMPTS, attempts);
        // In milliseconds, unlike other times: the first delays are shorter than a second.
        place.put(NEXT_TRY, now.plus(wait).truncatedTo(ChronoUnit.MILLIS).toString());
        ObjectNode error = place.putObject(LAST_ERROR).put("reason", reason).put("message", message);
        if (!raw.isEmpty()) {
            error.put("raw", raw);
        }
        error.put("operation", operation).put("time", OperationRecorder.time(now));
    }

    static void forget(ObjectNode place) {
        place.remove(ATTEMPTS);
        place.remove(NEXT_TRY);
        place.remove(LAST_ERROR);
        place.remove("tried");
    }
}
