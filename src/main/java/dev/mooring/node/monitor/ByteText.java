package dev.mooring.node.monitor;

import java.util.Locale;

/** Formats byte counts for display: {@code 512Mi}, {@code 1.5Gi}. */
final class ByteText {
    private static final String[] UNITS = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    private static final int STEP = 1024;
    private static final int EXACT_BELOW = 10;

    private ByteText() {}

    static String of(long bytes) {
        double value = bytes;
        int unit = 0;
        while (Math.round(value) >= STEP && unit < UNITS.length - 1) {
            value /= STEP;
            unit++;
        }
        String number = value < EXACT_BELOW && unit > 0 ? String.format(Locale.ROOT, "%.1f", value) : "";
        boolean shown = !number.isEmpty() && !number.endsWith(".0");
        return (shown ? number : Long.toString(Math.round(value))) + UNITS[unit];
    }
}
