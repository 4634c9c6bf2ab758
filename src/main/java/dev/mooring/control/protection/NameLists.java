package dev.mooring.control.protection;

import java.util.Collection;

/** Formats lists of names, abbreviated with the number of omitted names. Pure. */
public final class NameLists {
    /** Maximum number of names in a list. */
    public static final int MAX = 5;

    private NameLists() {}

    /** {@code Pod a}, or {@code Pods a, b, c, d, e and 3 more}. */
    public static String withNoun(String noun, Collection<String> names) {
        return (names.size() == 1 ? noun : noun + 's') + ' ' + abbreviated(names);
    }

    /** {@code a, b, c, d, e and 3 more}. */
    public static String abbreviated(Collection<String> names) {
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
