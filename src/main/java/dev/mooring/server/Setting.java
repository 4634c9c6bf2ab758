package dev.mooring.server;

import java.util.Locale;

/**
 * One row of the settings table.
 *
 * @param key dotted name in the configuration file
 * @param type parser and validator of the value
 * @param defaultText the default as written in the file; empty if it is computed from the machine or other settings
 */
record Setting<T>(String key, ValueType<T> type, String defaultText) {
    private static final String ENVIRONMENT_PREFIX = "MOORING_";

    /**
     * Returns the environment variable: {@code MOORING_LOG_SNAPSHOT_EVERYBYTES} for {@code log.snapshot.everyBytes}.
     */
    String environmentName() {
        return ENVIRONMENT_PREFIX + key.replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** Returns whether a variable has Mooring's prefix, known or not. */
    static boolean isEnvironmentName(String name) {
        return name.toUpperCase(Locale.ROOT).startsWith(ENVIRONMENT_PREFIX);
    }

    /** Returns the key for an unknown variable, for suggestions. */
    static String keyLike(String environmentName) {
        return environmentName
                .substring(ENVIRONMENT_PREFIX.length())
                .toLowerCase(Locale.ROOT)
                .replace('_', '.');
    }
}
