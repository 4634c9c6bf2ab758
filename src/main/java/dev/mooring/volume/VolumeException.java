package dev.mooring.volume;

import dev.mooring.model.OneLine;
import java.util.Objects;

/**
 * A failed volume operation that will be retried. The reason is one CamelCase word; the message says what was expected,
 * what was found and what to do next; raw is the output of the failed program or system call.
 */
public final class VolumeException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What a failed operation left behind. */
    public enum FailureState {
        /** Nothing: the state is the same as before the operation. */
        CLEAN,
        /**
         * Unknown, for example after a timeout. The volume counts as mounted for unmounting and as not mounted for
         * mounting.
         */
        UNCERTAIN
    }

    private final String reason;
    private final String raw;
    private final FailureState failureState;

    public VolumeException(FailureState left, String reason, String message, String raw) {
        super(OneLine.of(message));
        this.failureState = Objects.requireNonNull(left);
        this.reason = reason;
        this.raw = raw;
    }

    /** Returns a failure that left nothing behind. */
    public static VolumeException clean(String reason, String message) {
        return new VolumeException(FailureState.CLEAN, reason, message, "");
    }

    /** Returns a failure that may have left something behind. */
    public static VolumeException uncertain(String reason, String message, String raw) {
        return new VolumeException(FailureState.UNCERTAIN, reason, message, raw);
    }

    public String reason() {
        return reason;
    }

    public String raw() {
        return raw;
    }

    public FailureState failureState() {
        return failureState;
    }
}
