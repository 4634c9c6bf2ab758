package dev.mooring.model;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * A point in the history of the log as users write it: a revision ({@code 812}), a duration before now ({@code 10m},
 * {@code 1h30m}, {@code 2d}) or an RFC 3339 time. Immutable; pure.
 */
public sealed interface PointInTime {
    /** A revision. */
    record AtRevision(long revision) implements PointInTime {}

    /** A time, which stands for the newest revision at or before it. */
    record AtTime(Instant time) implements PointInTime {}

    /**
     * Parses a point in time.
     *
     * @param name of the option or parameter, for the message
     * @param now the time from which durations count back
     * @throws IllegalArgumentException if the text is none of the three; the message is for users
     */
    static PointInTime parse(String name, String text, Instant now) {
        return parse(text, now)
                .orElseThrow(() -> new IllegalArgumentException(
                        name + " must be a revision such as 812, a duration before now such as 10m, or an RFC 3339 time"
                                + " such as 2026-01-02T03:04:05Z, got \"" + text + '"'));
    }

    private static Optional<PointInTime> parse(String text, Instant now) {
        try {
            if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return Optional.of(new AtRevision(Long.parseLong(text)));
            }
            Instant time = text.indexOf(':') < 0 ? now.minus(TimeSpan.parse(text)) : Instant.parse(text);
            // The log has times in milliseconds; a time that does not fit is none of the log.
            return Optional.of(new AtTime(Instant.ofEpochMilli(time.toEpochMilli())));
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            return Optional.empty();
        }
    }
}
