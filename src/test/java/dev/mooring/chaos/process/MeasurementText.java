package dev.mooring.chaos.process;

import org.slf4j.helpers.MessageFormatter;

/** Formats the measurements of a test for its report. */
final class MeasurementText {
    private MeasurementText() {}

    /** @param pattern with {@code {}} for each value */
    static String text(String pattern, Object... values) {
        return MessageFormatter.basicArrayFormat(pattern, values);
    }
}
