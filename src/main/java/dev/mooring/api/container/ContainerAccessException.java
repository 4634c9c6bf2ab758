package dev.mooring.api.container;

/** A container could not be reached, or did not do what it was asked to. The message is made for people. */
public final class ContainerAccessException extends Exception {
    private final Kind kind;

    /** What that means for whoever asked. */
    public enum Kind {
        /** Containers are not run there at all. */
        NO_RUNTIME,
        /** Whoever runs it does not answer now. */
        UNREACHABLE,
        /** Too many ask at once. */
        BUSY,
        /** There is no such container any more. */
        GONE,
        /** It cannot be done like this. */
        REFUSED,
        /** It went wrong. */
        FAILED
    }

    public ContainerAccessException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public ContainerAccessException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
