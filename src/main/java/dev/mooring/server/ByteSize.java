package dev.mooring.server;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats sizes: {@code 64Mi}, {@code 64MiB}, {@code 1.5Gi}, {@code 67108864}. Binary units only. */
final class ByteSize {
    private static final Pattern FORM = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,6})?)\\s*(?:([kmgt]i)b?|b)?");
    private static final Map<String, Long> UNITS =
            Map.of("ki", 1L << 10, "mi", 1L << 20, "gi", 1L << 30, "ti", 1L << 40);

    private ByteSize() {}

    /**
     * Parses a size.
     *
     * @throws IllegalArgumentException if the text is not a size, or not a whole number of bytes below 2^63
     */
    static long parse(String text) {
        Matcher form = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            throw new IllegalArgumentException("not a size: " + text);
        }
        long unit = form.group(2) == null ? 1 : UNITS.get(form.group(2));
        try {
            return new BigDecimal(form.group(1))
                    .multiply(BigDecimal.valueOf(unit))
                    .longValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("not a whole number of bytes: " + text, e);
        }
    }

    /** Returns the shortest exact form: {@code 64Mi}, {@code 1000}. */
    static String format(long bytes) {
        String[] names = {"Ti", "Gi", "Mi", "Ki"};
        long unit = 1L << 40;
        for (String name : names) {
            if (bytes >= unit && bytes % unit == 0) {
                return bytes / unit + name;
            }
            unit >>= 10;
        }
        return Long.toString(bytes);
    }
}
