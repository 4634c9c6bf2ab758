package dev.mooring.cli.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds what a misspelt name probably meant. */
final class Nearest {
    private Nearest() {}

    /** The candidate with the fewest edits, unless so many are needed that it would be a wild guess. */
    static Optional<String> to(String name, Collection<String> candidates) {
        int acceptable = Math.max(2, name.length() / 3);
        return candidates.stream()
                .filter(candidate -> edits(name, candidate) <= acceptable)
                .min(Comparator.comparingInt(candidate -> edits(name, candidate)));
    }

    /** Levenshtein's distance, not minding upper and lower case. */
    private static int edits(String left, String right) {
        String a = left.toLowerCase(Locale.ROOT);
        String b = right.toLowerCase(Locale.ROOT);
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
