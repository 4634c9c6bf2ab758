package dev.mooring.api.auth;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;

/** Formats and parses times like Kubernetes: whole seconds, UTC. Accepts any offset. */
final class Rfc3339 {
    private Rfc3339() {}

    /** @throws DateTimeParseException if the text is not a time */
    static Instant parse(String text) {
        return OffsetDateTime.parse(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME)
                .toInstant();
    }

    static String format(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
