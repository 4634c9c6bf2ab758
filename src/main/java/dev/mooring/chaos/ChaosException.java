package dev.mooring.chaos;

/** A refused action, with a message for the user. */
public final class ChaosException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Kind of error. */
    public enum ChaosErrorKind {
        /** The request is invalid. */
        INVALID,
        /** The request names something that does not exist. */
        NOT_FOUND,
        /** The request conflicts with the current state. */
        CONFLICT,
        /** The chaos verticle is down. */
        UNAVAILABLE
    }

    private final ChaosErrorKind kind;

    public ChaosException(ChaosErrorKind kind, String message) {
        super(message, null, false, false); // reported to the caller; a stack trace is not needed
        this.kind = kind;
    }

    public ChaosErrorKind kind() {
        return kind;
    }
}
