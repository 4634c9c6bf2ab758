package dev.mooring.volume;

/**
 * Receives progress reports of a running operation; each becomes an event in the log. Thread-safe; never blocks or
 * throws.
 */
public interface OperationProgress {
    /** No-op. */
    OperationProgress NO_OP = (reason, message) -> {};

    /**
     * Reports one step.
     *
     * @param reason one word, such as UnmountForced or SettingOwnership
     * @param message a sentence for people
     */
    void report(String reason, String message);
}
