package dev.mooring.control.protect;

import java.util.Collection;

/** Names in a sentence: some of them, and how many more there are. Pure. */
public final class Names {
    /** As many as a reader still reads. */
    public static final int MAX = 5;

    private Names() {}

    /** {@code Pod a}, or {@code Pods a, b, c, d, e and 3 more}. */
    public static String counted(String noun, Collection<String> names) {
        return (names.size() == 1 ? noun : noun + 's') + ' ' + some(names);
    }

    /** {@code a, b, c, d, e and 3 more}. */
    public static String some(Collection<String> names) {
        StringBuilder text = new StringBuilder();
        int shown = 0;
        for (String name : names) {
            if (shown == MAX) {
                return text.append(" and ")
                        .append(names.size() - MAX)
                        .append(" more")
                        .toString();
            }
            text.append(shown++ == 0 ? "" : ", ").append(name);
        }
        return text.toString();
    }
}
