package dev.mooring.model.provision;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds what a misspelt name probably meant. Pure; any thread. */
final class NearestName {
    /** A name that is longer is no slip of the finger, and comparing it would only cost time. */
    private static final int MAX_LENGTH = 64;

    private static final int SHORTEST_GUESS = 2;
    private static final int LETTERS_PER_EDIT = 3;

    private NearestName() {}

    /** The candidate that takes the fewest edits, unless it takes so many that it would be a wild guess. */
    static Optional<String> to(String name, Collection<String> candidates) {
        if (name.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        int acceptable = Math.max(SHORTEST_GUESS, name.length() / LETTERS_PER_EDIT);
        return candidates.stream()
                .filter(candidate -> edits(name, candidate) <= acceptable)
                .min(Comparator.comparingInt((String candidate) -> edits(name, candidate))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Insertions, deletions and replacements from one to the other, whatever the case. */
    private static int edits(String left, String right) {
        String from = left.toLowerCase(Locale.ROOT);
        String to = right.toLowerCase(Locale.ROOT);
        int[] above = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            above[j] = j;
        }
        for (int i = 0; i < from.length(); i++) {
            int[] row = new int[to.length() + 1];
            row[0] = i + 1;
            for (int j = 0; j < to.length(); j++) {
                int replaced = above[j] + (from.charAt(i) == to.charAt(j) ? 0 : 1);
                row[j + 1] = Math.min(replaced, Math.min(above[j + 1], row[j]) + 1);
            }
            above = row;
        }
        return above[to.length()];
    }
}
