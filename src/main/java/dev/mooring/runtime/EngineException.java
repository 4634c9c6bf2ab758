package dev.mooring.runtime;

/** An engine did not do what it was asked to. The message is the engine's own, made for people, without stack traces. */
public final class EngineException extends Exception {
    private final Kind kind;

    /** What that means for whoever asked. */
    public enum Kind {
        /** Nobody answers: whether anything was done is not known. */
        UNREACHABLE,
        /** It did not answer in time: whether anything was done is not known. */
        TOO_SLOW,
        /** There is no such container, image or process. */
        NOT_FOUND,
        /** Something of that name is there already, or it is in a state in which this cannot be done. */
        CONFLICT,
        /** It cannot be done like this, now or later: a bad option, a missing source of a mount. */
        REFUSED,
        /** It went wrong, and may go well another time. */
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

    /** Whether the engine was not there to answer. */
    public boolean isAbsence() {
        return kind == Kind.UNREACHABLE || kind == Kind.TOO_SLOW;
    }
}
