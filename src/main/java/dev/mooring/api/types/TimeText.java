package dev.mooring.api.types;

import dev.mooring.api.GoText;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Normalizes times as Kubernetes does: UTC, {@code 2026-01-31T12:00:00Z}, or with six fractional digits. A time already
 * in that form stays the same string. Accepts what Go's {@code time.Parse} accepts, and has the same error messages.
 */
final class TimeText {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'");
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'");
    private static final String ZONE = "Z07:00";

    /** The precision of stored times. */
    enum Precision {
        SECONDS("2006-01-02T15:04:05Z07:00"),
        MICROS("2006-01-02T15:04:05.000000Z07:00");

        private final String layout;

        Precision(String layout) {
            this.layout = layout;
        }
    }

    private static final int LAST_YEAR = 9999;

    private final String text;
    private final Precision precision;
    private int pos;

    private TimeText(String text, Precision precision) {
        this.text = text;
        this.precision = precision;
    }

    /** @throws BodyException if it is not a valid time */
    static String normalize(String text, Precision precision) {
        return new TimeText(text, precision).normalize();
    }

    private String normalize() {
        int year = number("2006", 4, 4);
        literal("-");
        int month = inRange(number("01", 2, 2), 1, 12, "month");
        literal("-");
        int day = number("02", 2, 2);
        literal("T");
        int hour = inRange(number("15", 1, 2), 0, 23, "hour");
        literal(":");
        int minute = inRange(number("04", 2, 2), 0, 59, "minute");
        literal(":");
        int second = inRange(number("05", 2, 2), 0, 59, "second");
        int nanos = precision == Precision.MICROS ? sixDigits() : anyFraction();
        int before = pos;
        ZoneOffset offset = offset();
        if (pos < text.length()) {
            throw new BodyException(
                    "parsing time " + GoText.quote(text) + ": extra text: " + GoText.quote(text.substring(pos)));
        }
        if (day < 1 || day > LocalDate.of(year, month, 1).lengthOfMonth()) {
            throw outOfRange("day");
        }
        if (text.charAt(before) == 'Z' && text.length() == precision.layout.length() - "07:00".length()) {
            return text;
        }
        LocalDateTime utc =
                LocalDateTime.of(year, month, day, hour, minute, second, nanos).minusSeconds(offset.getTotalSeconds());
        if (utc.getYear() < 0 || utc.getYear() > LAST_YEAR) {
            // The offset moves the time out of the representable range.
            throw outOfRange("year");
        }
        return utc.format(precision == Precision.MICROS ? MICROS : SECONDS);
    }

    private int number(String layout, int fewest, int most) {
        int value = 0;
        int digits = 0;
        while (digits < most && isDigit(pos + digits)) {
            value = value * 10 + text.charAt(pos + digits) - '0';
            digits++;
        }
        if (digits < fewest) {
            throw cannotParse(layout);
        }
        pos += digits;
        return value;
    }

    private void literal(String expected) {
        if (!text.startsWith(expected, pos)) {
            throw cannotParse(expected);
        }
        pos += expected.length();
    }

    private int sixDigits() {
        int start = pos;
        boolean pointed = pos < text.length() && (text.charAt(pos) == '.' || text.charAt(pos) == ',');
        for (int i = 1; i <= 6; i++) {
            if (!pointed || !isDigit(start + i)) {
                throw cannotParse(".000000");
            }
        }
        pos += 7;
        return Integer.parseInt(text, start + 1, pos, 10) * 1000;
    }

    /** Skips a fraction. */
    private int anyFraction() {
        if (pos < text.length() && (text.charAt(pos) == '.' || text.charAt(pos) == ',') && isDigit(pos + 1)) {
            pos++;
            while (isDigit(pos)) {
                pos++;
            }
        }
        return 0;
    }

    private ZoneOffset offset() {
        if (text.startsWith("Z", pos)) {
            pos++;
            return ZoneOffset.UTC;
        }
        boolean wellFormed = pos + 6 <= text.length()
                && (text.charAt(pos) == '+' || text.charAt(pos) == '-')
                && isDigit(pos + 1)
                && isDigit(pos + 2)
                && text.charAt(pos + 3) == ':'
                && isDigit(pos + 4)
                && isDigit(pos + 5);
        if (!wellFormed) {
            throw cannotParse(ZONE);
        }
        int sign = text.charAt(pos) == '-' ? -1 : 1;
        int hours = Integer.parseInt(text, pos + 1, pos + 3, 10);
        int minutes = Integer.parseInt(text, pos + 4, pos + 6, 10);
        pos += 6;
        try {
            return ZoneOffset.ofHoursMinutes(sign * hours, sign * minutes);
        } catch (DateTimeException e) {
            throw outOfRange("time zone offset");
        }
    }

    private boolean isDigit(int at) {
        return at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9';
    }

    private int inRange(int value, int least, int most, String what) {
        if (value < least || value > most) {
            throw outOfRange(what);
        }
        return value;
    }

    private BodyException outOfRange(String what) {
        return new BodyException("parsing time " + GoText.quote(text) + ": " + what + " out of range");
    }

    private BodyException cannotParse(String element) {
        return new BodyException("parsing time " + GoText.quote(text) + " as " + GoText.quote(precision.layout)
                + ": cannot parse " + GoText.quote(text.substring(pos)) + " as " + GoText.quote(element));
    }
}
