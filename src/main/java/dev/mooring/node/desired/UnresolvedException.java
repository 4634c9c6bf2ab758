package dev.mooring.node.desired;

/** A volume cannot be mounted yet: something it refers to is missing or does not fit. Has no stack trace: it is an answer, not an accident. */
final class UnresolvedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    /**
     * @param reason one word for programs
     * @param message for people, in the kubelet's words where it has some
     */
    UnresolvedException(String reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
