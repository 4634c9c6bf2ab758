package dev.mooring.chaos;

/** Something that was asked for and is not done, with words for whoever asked. */
public final class ChaosException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Whose fault it is. */
    public enum Kind {
        /** The request makes no sense. */
        INVALID,
        /** It names something that is not there. */
        NOT_FOUND,
        /** Not in the state things are in. */
        CONFLICT,
        /** Not at the moment: the chaos verticle itself is down. */
        UNAVAILABLE
    }

    private final Kind kind;

    public ChaosException(Kind kind, String message) {
        super(message, null, false, false); // said to whoever asked; where it was noticed does not matter
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
