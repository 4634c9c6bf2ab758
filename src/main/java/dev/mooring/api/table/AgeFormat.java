package dev.mooring.api.table;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * Formats ages with at most two units, as Kubernetes does: {@code 45s}, {@code 3m5s}, {@code 25h}, {@code 2y30d}.
 * Stateless.
 */
public final class AgeFormat {
    /** Shown if there is no time. */
    public static final String UNKNOWN = "<unknown>";

    private static final String INVALID = "<invalid>";
    /** Maximum of Go's durations (2^63 ns); longer ones show as this many hours. */
    private static final long LONGEST_HOURS = Long.MAX_VALUE / 3_600_000_000_000L;
    /** The year 1, Go's zero time. */
    private static final Instant ZERO = Instant.parse("0001-01-01T00:00:00Z");

    private AgeFormat() {}

    /** @param time RFC 3339; empty or invalid: {@link #UNKNOWN} */
    public static String since(String time, Instant now) {
        return since(parse(time), now);
    }

    public static String since(Optional<Instant> time, Instant now) {
        return time.map(then -> human(Duration.between(then, now))).orElse(UNKNOWN);
    }

    /** Formats the time until a future time; a past one is {@code <invalid>}. */
    public static String until(String time, Instant now) {
        return parse(time).map(then -> human(Duration.between(now, then))).orElse(UNKNOWN);
    }

    /** Formats a duration as Kubernetes does: rounded down, with a second unit only for small values of the first. */
    public static String human(Duration duration) {
        // Truncated towards zero: a clock that is up to two seconds ahead is "now".
        long seconds = duration.isNegative() ? -duration.negated().toSeconds() : duration.toSeconds();
        if (seconds < -1) {
            return INVALID;
        }
        if (seconds < 120) {
            return Math.max(0, seconds) + "s";
        }
        long minutes = seconds / 60;
        if (minutes < 10) {
            return two(minutes, 'm', seconds % 60, 's');
        }
        if (minutes < 180) {
            return minutes + "m";
        }
        long hours = Math.min(minutes / 60, LONGEST_HOURS);
        if (hours < 8) {
            return two(hours, 'h', minutes % 60, 'm');
        }
        if (hours < 48) {
            return hours + "h";
        }
        long days = hours / 24;
        if (days < 8) {
            return two(days, 'd', hours % 24, 'h');
        }
        if (days < 2 * 365) {
            return days + "d";
        }
        if (days < 8 * 365) {
            return two(days / 365, 'y', days % 365, 'd');
        }
        return days / 365 + "y";
    }

    /** @return empty for no time, Go's zero time, or text that is not an RFC 3339 time */
    static Optional<Instant> parse(String time) {
        if (time.isEmpty()) {
            return Optional.empty();
        }
        try {
            Instant parsed = isPlainUtc(time)
                    ? plainUtc(time)
                    : OffsetDateTime.parse(time).toInstant();
            return parsed.equals(ZERO) ? Optional.empty() : Optional.of(parsed);
        } catch (DateTimeException ignored) {
            return Optional.empty();
        }
    }

    private static String two(long major, char majorUnit, long minor, char minorUnit) {
        return minor == 0 ? "" + major + majorUnit : "" + major + majorUnit + minor + minorUnit;
    }

    /**
     * Returns whether a time has the form {@code 2026-01-31T12:00:00Z}, which nearly all have; these skip the general
     * parser.
     */
    private static boolean isPlainUtc(String time) {
        if (time.length() != 20) {
            return false;
        }
        for (int i = 0; i < 20; i++) {
            char expected = "dddd-dd-ddTdd:dd:ddZ".charAt(i);
            char c = time.charAt(i);
            if (expected == 'd' ? c < '0' || c > '9' : c != expected) {
                return false;
            }
        }
        return true;
    }

    private static Instant plainUtc(String time) {
        int hour = number(time, 11, 13);
        int minute = number(time, 14, 16);
        int second = number(time, 17, 19);
        if (hour > 23 || minute > 59 || second > 59) {
            throw new DateTimeException("Invalid time of day: " + time);
        }
        LocalDate day = LocalDate.of(number(time, 0, 4), number(time, 5, 7), number(time, 8, 10));
        return Instant.ofEpochSecond(day.toEpochDay() * 86_400 + hour * 3_600L + minute * 60L + second);
    }

    private static int number(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }
}
