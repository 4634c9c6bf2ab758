package dev.mooring.host;

/** A program that could not be started or did not finish. */
public final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why the program did not finish. */
    public enum CommandFailureKind {
        MISSING,
        NOT_STARTED,
        TIMED_OUT
    }

    private final CommandFailureKind kind;

    public CommandException(CommandFailureKind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public CommandFailureKind kind() {
        return kind;
    }
}
