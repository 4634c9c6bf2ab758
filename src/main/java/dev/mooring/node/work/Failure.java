package dev.mooring.node.work;

/**
 * How work went wrong.
 *
 * @param reason one word
 * @param message what it means and what to do, for people
 * @param raw what the system said; "" for nothing
 */
record Failure(String reason, String message, String raw) {
    static final String DEADLINE = "Deadline";
    static final String PANIC = "Panic";
    static final String INTERRUPTED = "Interrupted";
    static final String UNKNOWN_OPERATION = "UnknownOperation";
}
