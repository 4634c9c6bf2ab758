package dev.mooring.cli;

import java.util.ArrayList;
import java.util.List;

/** Compares texts line by line, as {@code diff -u} does. Pure. */
final class LineDiff {
    /** Unchanged lines that are shown around a change. */
    private static final int CONTEXT = 3;

    /** Maximum number of comparisons; larger texts are replaced as a whole between their common ends. */
    private static final long MAX_COMPARISONS = 4_000_000;

    private LineDiff() {}

    /**
     * Returns the lines with a sign: {@code +} added, {@code -} removed, space unchanged. Unchanged lines far from a
     * change are omitted; {@code @@} separates the parts.
     */
    static List<String> unified(List<String> before, List<String> after) {
        List<String> all = merge(before, after);
        List<String> shown = new ArrayList<>();
        int lastChange = -CONTEXT - 1;
        int printed = 0;
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).charAt(0) != ' ') {
                int from = Math.max(printed, i - CONTEXT);
                if (from > printed) {
                    shown.add("@@");
                }
                shown.addAll(all.subList(from, i + 1));
                printed = i + 1;
                lastChange = i;
            } else if (i - lastChange <= CONTEXT) {
                shown.add(all.get(i));
                printed = i + 1;
            }
        }
        return shown;
    }

    private static List<String> merge(List<String> before, List<String> after) {
        int shorter = Math.min(before.size(), after.size());
        int start = 0;
        while (start < shorter && before.get(start).equals(after.get(start))) {
            start++;
        }
        int tail = 0;
        while (tail < shorter - start
                && before.get(before.size() - 1 - tail).equals(after.get(after.size() - 1 - tail))) {
            tail++;
        }
        List<String> lines = new ArrayList<>();
        before.subList(0, start).forEach(line -> lines.add(' ' + line));
        middle(before.subList(start, before.size() - tail), after.subList(start, after.size() - tail), lines);
        before.subList(before.size() - tail, before.size()).forEach(line -> lines.add(' ' + line));
        return lines;
    }

    /** Adds the lines of both texts, of which the longest common subsequence is unchanged. */
    private static void middle(List<String> before, List<String> after, List<String> lines) {
        boolean isSmall = (long) before.size() * after.size() <= MAX_COMPARISONS;
        int[][] common = isSmall ? common(before, after) : new int[0][];
        int i = 0;
        int j = 0;
        while (i < before.size() || j < after.size()) {
            if (isSmall
                    && i < before.size()
                    && j < after.size()
                    && before.get(i).equals(after.get(j))) {
                lines.add(' ' + before.get(i++));
                j++;
            } else if (j == after.size() || (i < before.size() && (!isSmall || common[i + 1][j] >= common[i][j + 1]))) {
                lines.add('-' + before.get(i++));
            } else {
                lines.add('+' + after.get(j++));
            }
        }
    }

    /** Returns the lengths of the longest common subsequences of all pairs of tails. */
    private static int[][] common(List<String> before, List<String> after) {
        int[][] common = new int[before.size() + 1][after.size() + 1];
        for (int i = before.size() - 1; i >= 0; i--) {
            for (int j = after.size() - 1; j >= 0; j--) {
                common[i][j] = before.get(i).equals(after.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        return common;
    }
}
