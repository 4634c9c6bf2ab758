package dev.mooring.model;

/**
 * Puts external text, such as the output of a program, on one line, because Events, conditions and status are shown in
 * tables. Pure.
 */
public final class OneLine {
    private OneLine() {}

    /** Returns the trimmed non-empty lines, joined by spaces. */
    public static String of(String text) {
        if (text.indexOf('\n') < 0 && text.indexOf('\r') < 0) {
            return text;
        }
        return String.join(
                " ",
                text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList());
    }
}
