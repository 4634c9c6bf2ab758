package dev.mooring.world;

/** Replaying the log did not give what the log says it gave when it was written: a bug, or damage that no checksum saw. */
public final class ReplayMismatchException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    ReplayMismatchException(long revision, String what, long expected, long found) {
        super("Replay differs at revision " + revision + ": expected " + what + " to give " + expected + ", but found "
                + found + ". Nothing was changed; mooring log verify shows where it starts");
    }
}
