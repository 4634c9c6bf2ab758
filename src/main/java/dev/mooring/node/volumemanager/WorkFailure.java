package dev.mooring.node.volumemanager;

/**
 * The failure of an operation.
 *
 * @param reason one CamelCase word
 * @param message human-readable cause and remedy
 * @param raw raw system output; "" for none
 */
record WorkFailure(String reason, String message, String raw) {
    static final String DEADLINE = "Deadline";
    static final String PANIC = "Panic";
    static final String INTERRUPTED = "Interrupted";
    static final String UNKNOWN_OPERATION = "UnknownOperation";
}
