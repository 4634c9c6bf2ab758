package dev.mooring.volume.nfs;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that somebody who mistyped most likely meant. Stateless. */
final class Nearest {
    private Nearest() {}

    /** Nothing if none is close: less than a third of the letters, and at most two, may be wrong. */
    static Optional<String> of(String typed, Collection<String> known) {
        int allowed = Math.min(2, Math.max(1, typed.length() / 3));
        return known.stream()
                .filter(each -> distance(typed, each) <= allowed)
                .min(Comparator.comparingInt((String each) -> distance(typed, each))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** How many letters must be added, removed or replaced. */
    static int distance(String one, String other) {
        int[] above = new int[other.length() + 1];
        for (int column = 0; column <= other.length(); column++) {
            above[column] = column;
        }
        for (int row = 1; row <= one.length(); row++) {
            int[] line = new int[other.length() + 1];
            line[0] = row;
            for (int column = 1; column <= other.length(); column++) {
                int replaced = above[column - 1] + (one.charAt(row - 1) == other.charAt(column - 1) ? 0 : 1);
                line[column] = Math.min(replaced, 1 + Math.min(above[column], line[column - 1]));
            }
            above = line;
        }
        return above[other.length()];
    }
}
