package dev.mooring.chaos.process;

import org.slf4j.helpers.MessageFormatter;

/** What a test has measured, in words for its report. */
final class Figures {
    private Figures() {}

    /** @param pattern with {@code {}} for each value */
    static String text(String pattern, Object... values) {
        return MessageFormatter.basicArrayFormat(pattern, values);
    }
}
