package dev.mooring.volume.process;

/** A program that did not come to an end of its own. */
public final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What kept it from that. */
    public enum Kind {
        MISSING,
        NOT_STARTED,
        TOO_SLOW
    }

    private final Kind kind;

    public CommandException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
