package dev.mooring.api.container;

/** A container could not be reached, or a request to it failed. The message is for users. */
public final class ContainerAccessException extends Exception {
    private final AccessFailureReason reason;

    /** The kind of failure. */
    public enum AccessFailureReason {
        /** The server does not run containers. */
        NO_RUNTIME,
        /** The container runtime does not respond. */
        UNREACHABLE,
        /** Too many concurrent requests. */
        BUSY,
        /** The container no longer exists. */
        GONE,
        /** The request is not possible. */
        REFUSED,
        /** The request failed. */
        FAILED
    }

    public ContainerAccessException(AccessFailureReason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public ContainerAccessException(AccessFailureReason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public AccessFailureReason reason() {
        return reason;
    }
}
