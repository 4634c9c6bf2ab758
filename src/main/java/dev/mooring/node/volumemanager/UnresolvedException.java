package dev.mooring.node.volumemanager;

/**
 * Thrown when a volume cannot be mounted yet, because something it refers to is missing or does not match. Has no stack
 * trace, because it is an expected result.
 */
final class UnresolvedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    /**
     * Creates an exception.
     *
     * @param reason one CamelCase word
     * @param message human-readable, the kubelet's where it has one
     */
    UnresolvedException(String reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
