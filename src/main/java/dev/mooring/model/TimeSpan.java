package dev.mooring.model;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats durations: {@code 90s}, {@code 30m}, {@code 1h}, {@code 7d}, {@code 1h30m}, {@code 250ms}. Pure. */
public final class TimeSpan {
    private static final Pattern FORM = Pattern.compile(
            "(?:(\\d{1,9})d)?\\s*(?:(\\d{1,9})h)?\\s*(?:(\\d{1,9})m)?\\s*(?:(\\d{1,9})s)?\\s*(?:(\\d{1,9})ms)?");

    private TimeSpan() {}

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException if the text is not a duration; a number without a unit is refused as ambiguous
     */
    public static Duration parse(String text) {
        String trimmed = text.trim().toLowerCase(Locale.ROOT);
        Matcher form = FORM.matcher(trimmed);
        if (trimmed.isEmpty() || !form.matches()) {
            throw new IllegalArgumentException("not a duration: " + text);
        }
        return Duration.ofDays(part(form, 1))
                .plusHours(part(form, 2))
                .plusMinutes(part(form, 3))
                .plusSeconds(part(form, 4))
                .plusMillis(part(form, 5));
    }

    /** Returns the shortest exact form: {@code 1h}, {@code 1h30m}, {@code 7d}. */
    public static String format(Duration span) {
        StringBuilder text = new StringBuilder();
        append(text, span.toDaysPart(), "d");
        append(text, span.toHoursPart(), "h");
        append(text, span.toMinutesPart(), "m");
        append(text, span.toSecondsPart(), "s");
        append(text, span.toMillisPart(), "ms");
        return text.length() == 0 ? "0s" : text.toString();
    }

    private static long part(Matcher form, int group) {
        return form.group(group) == null ? 0 : Long.parseLong(form.group(group));
    }

    private static void append(StringBuilder text, long amount, String unit) {
        if (amount != 0) {
            text.append(amount).append(unit);
        }
    }
}
