package dev.mooring.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints rows in aligned columns while they arrive. Holds the first rows back until it knows how wide their columns are;
 * later ones may still widen them. Not thread-safe.
 */
final class StreamedTable {
    /** Number of rows that determine the widths. */
    private static final int MEASURED_ROWS = 200;

    private final PrintStream out;
    private final String[] header;
    private final int[] widths;
    private final List<String[]> held = new ArrayList<>();
    private boolean headed;
    private boolean measured;

    /** @param header printed before the first row */
    StreamedTable(PrintStream out, String... header) {
        this.out = out;
        this.header = header;
        this.widths = new int[header.length - 1];
    }

    /** @param cells one for each column */
    void add(String... cells) {
        if (!headed) {
            headed = true;
            hold(header);
        }
        hold(cells);
        if (measured || held.size() > MEASURED_ROWS) {
            flush();
        }
    }

    private void hold(String... row) {
        held.add(row);
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], row[i].length());
        }
    }

    /** Prints the rows held back, and later ones at once. */
    void flush() {
        measured = true;
        for (String[] row : held) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row[i]).append(" ".repeat(widths[i] - row[i].length() + 2));
            }
            out.println(
                    TextColumns.clean(line.append(row[widths.length]).toString().stripTrailing()));
        }
        held.clear();
    }
}
