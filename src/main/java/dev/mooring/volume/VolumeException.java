package dev.mooring.volume;

import java.util.Objects;

/**
 * An operation on a volume that failed and will be tried again. The reason is one word for programs; the message says what was expected,
 * what was found and what to do next; raw is what the machine said.
 */
public final class VolumeException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What is left behind. */
    public enum Left {
        /** Nothing, for certain: it is as if it had not been tried. */
        NOTHING,
        /** Perhaps something: a time-out, a lost answer. Counts as mounted for whoever unmounts, as not mounted for whoever mounts. */
        PERHAPS_SOMETHING
    }

    private final String reason;
    private final String raw;
    private final Left left;

    public VolumeException(Left left, String reason, String message, String raw) {
        super(message);
        this.left = Objects.requireNonNull(left);
        this.reason = reason;
        this.raw = raw;
    }

    /** Nothing is left behind. */
    public static VolumeException clean(String reason, String message) {
        return new VolumeException(Left.NOTHING, reason, message, "");
    }

    /** Something may be left behind. */
    public static VolumeException uncertain(String reason, String message, String raw) {
        return new VolumeException(Left.PERHAPS_SOMETHING, reason, message, raw);
    }

    public String reason() {
        return reason;
    }

    public String raw() {
        return raw;
    }

    public Left left() {
        return left;
    }
}
