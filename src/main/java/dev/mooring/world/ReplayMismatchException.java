package dev.mooring.world;

/**
 * Thrown when replaying the log gives another World than the one it was written for: a bug, or damage that no checksum
 * detected.
 */
public final class ReplayMismatchException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    ReplayMismatchException(long revision, String what, long expected, long found) {
        super("Replay differs at revision " + revision + ": " + what + " is " + found + ", expected " + expected
                + ". Nothing was changed; mooring log verify shows where it starts");
    }
}
