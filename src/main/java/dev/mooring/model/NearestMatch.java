package dev.mooring.model;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToIntFunction;

/** Finds the closest known name for a misspelt one, with the fewest edits. Pure; thread-safe. */
public final class NearestMatch {
    /** Maximum length of a compared name; a longer one is not a typo, and costs time. */
    private static final int MAX_LENGTH = 64;

    private static final int LETTERS_PER_EDIT = 3;

    private NearestMatch() {}

    /**
     * Returns the nearest candidate, ignoring case; of several, the alphabetically first. Allows one edit per three
     * letters, and at least two; empty if none is that close.
     */
    public static Optional<String> ignoringCase(String name, Collection<String> candidates) {
        String lower = name.toLowerCase(Locale.ROOT);
        int maxEdits = Math.max(2, name.length() / LETTERS_PER_EDIT);
        return find(name, candidates, maxEdits, candidate -> edits(lower, candidate.toLowerCase(Locale.ROOT)));
    }

    /**
     * Returns the nearest candidate; of several, the alphabetically first. Allows one edit per three letters, at least
     * one and at most two, for candidates that are many and short; empty if none is that close.
     */
    public static Optional<String> strict(String name, Collection<String> candidates) {
        int maxEdits = Math.min(2, Math.max(1, name.length() / LETTERS_PER_EDIT));
        return find(name, candidates, maxEdits, candidate -> edits(name, candidate));
    }

    private static Optional<String> find(
            String name, Collection<String> candidates, int maxEdits, ToIntFunction<String> edits) {
        if (name.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        return candidates.stream()
                .filter(candidate -> edits.applyAsInt(candidate) <= maxEdits)
                .min(Comparator.comparingInt(edits).thenComparing(Comparator.naturalOrder()));
    }

    /** Returns the edit distance: insertions, deletions and replacements. */
    static int edits(String from, String to) {
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
