package dev.mooring.bench;

import java.util.Locale;

/** Unit of a figure; formats values as text. The JSON has the plain unit. */
enum MeasureUnit {
    PER_SECOND("1/s") {
        @Override
        String text(double value) {
            return scaled(value) + " /s";
        }
    },
    BYTES_PER_SECOND("B/s") {
        @Override
        String text(double value) {
            return bytes(value) + "/s";
        }
    },
    BYTES("B") {
        @Override
        String text(double value) {
            return bytes(value);
        }
    },
    SECONDS("s") {
        @Override
        String text(double value) {
            if (value >= 1) {
                return number(value) + " s";
            }
            if (value >= 1e-3) {
                return number(value * 1e3) + " ms";
            }
            return value >= 1e-6 ? number(value * 1e6) + " µs" : number(value * 1e9) + " ns";
        }
    },
    CPU_SHARE("ms/s") {
        @Override
        String text(double value) {
            return number(value) + " ms/s";
        }
    },
    TIMES("x") {
        @Override
        String text(double value) {
            return number(value) + " x";
        }
    };

    final String symbol;

    MeasureUnit(String symbol) {
        this.symbol = symbol;
    }

    abstract String text(double value);

    private static String scaled(double value) {
        if (value >= 1e6) {
            return String.format(Locale.ROOT, "%.2f M", value / 1e6);
        }
        return value >= 100 ? String.format(Locale.ROOT, "%,.0f", value) : number(value);
    }

    private static String bytes(double value) {
        if (value >= 1 << 30) {
            return number(value / (1 << 30)) + " GiB";
        }
        if (value >= 1 << 20) {
            return number(value / (1 << 20)) + " MiB";
        }
        return value >= 1 << 10 ? number(value / (1 << 10)) + " KiB" : number(value) + " B";
    }

    /** Formats three significant digits. */
    private static String number(double value) {
        if (value >= 99.95) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= 9.995 ? "%.1f" : "%.2f", value);
    }
}
