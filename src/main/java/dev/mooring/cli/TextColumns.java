package dev.mooring.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Aligns cells in columns with spaces, like the tables of kubectl. A column is as wide as its widest cell in adjacent
 * lines; the last cell of a line has no width. Pure.
 */
final class TextColumns {
    /** Spaces between the columns of a table, as in {@code kubectl get}. */
    static final int TABLE = 3;

    /** Spaces between the columns of a description, as in {@code kubectl describe}. */
    static final int DESCRIPTION = 2;

    private TextColumns() {}

    /** @param lines the cells of each line */
    static String align(List<List<String>> lines, int padding) {
        List<int[]> widths = new ArrayList<>();
        lines.forEach(line -> widths.add(new int[Math.max(0, line.size() - 1)]));
        for (int column = 0; column < lines.stream().mapToInt(List::size).max().orElse(0); column++) {
            int first = 0;
            int widest = 0;
            for (int i = 0; i <= lines.size(); i++) {
                if (i < lines.size() && widths.get(i).length > column) {
                    widest = Math.max(widest, width(lines.get(i).get(column)));
                } else {
                    for (int each = first; each < i; each++) {
                        widths.get(each)[column] = widest + padding;
                    }
                    first = i + 1;
                    widest = 0;
                }
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines.size(); i++) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < lines.get(i).size(); column++) {
                String cell = lines.get(i).get(column);
                line.append(cell);
                if (column < widths.get(i).length) {
                    line.append(" ".repeat(widths.get(i)[column] - width(cell)));
                }
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private static int width(String cell) {
        return cell.codePointCount(0, cell.length());
    }

    /** Returns text from elsewhere without characters that would move a terminal's cursor or break a line. */
    static String clean(String text) {
        return text.chars().noneMatch(Character::isISOControl) ? text : text.replaceAll("\\p{Cntrl}+", " ");
    }
}
