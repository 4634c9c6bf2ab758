package dev.mooring.cli.config;

import java.util.Locale;

/**
 * One row of the settings table.
 *
 * @param key dotted name as in the configuration file
 * @param type how its text is read and what is allowed
 * @param defaultText the default as written in the file; empty when it is computed from the machine or other settings
 */
record Setting<T>(String key, ValueType<T> type, String defaultText) {
    private static final String ENVIRONMENT_PREFIX = "MOORING_";

    /** {@code log.snapshot.everyBytes} is {@code MOORING_LOG_SNAPSHOT_EVERYBYTES}. */
    String environmentName() {
        return ENVIRONMENT_PREFIX + key.replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** Whether a variable is meant for Mooring, known or not. */
    static boolean isEnvironmentName(String name) {
        return name.toUpperCase(Locale.ROOT).startsWith(ENVIRONMENT_PREFIX);
    }

    /** What key an unknown variable may have meant, for suggestions. */
    static String keyLike(String environmentName) {
        return environmentName
                .substring(ENVIRONMENT_PREFIX.length())
                .toLowerCase(Locale.ROOT)
                .replace('_', '.');
    }
}
