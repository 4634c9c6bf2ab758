package dev.mooring.runtime;

/**
 * Thrown when an engine did not execute a request. The message is the engine's, human-readable, without stack traces.
 */
public final class EngineException extends Exception {
    private final Kind kind;

    /** The kind of failure. */
    public enum Kind {
        /** The engine is unreachable: the outcome of the request is unknown. */
        UNREACHABLE,
        /** The engine did not respond in time: the outcome of the request is unknown. */
        TOO_SLOW,
        /** The container, image or process does not exist. */
        NOT_FOUND,
        /** The name is taken, or the current state does not allow the request. */
        CONFLICT,
        /** Permanently refused: for example, a bad option or a missing mount source. */
        REFUSED,
        /** Failed, but may succeed on retry. */
        FAILED
    }

    public EngineException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public EngineException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** Returns whether the engine did not respond. */
    public boolean isUnavailable() {
        return kind == Kind.UNREACHABLE || kind == Kind.TOO_SLOW;
    }
}
