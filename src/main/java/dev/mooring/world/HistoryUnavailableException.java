package dev.mooring.world;

import java.io.IOException;

/** Thrown when a past World cannot be built now, or at all, within the limits of {@link History}. */
public final class HistoryUnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean fitsLater;

    private HistoryUnavailableException(String message, boolean fitsLater) {
        super(message);
        this.fitsLater = fitsLater;
    }

    static HistoryUnavailableException busy(String message) {
        return new HistoryUnavailableException(message, true);
    }

    static HistoryUnavailableException tooLarge(long revision, long limit) {
        return new HistoryUnavailableException(
                "Revision " + revision + " needs more than " + limit
                        + " bytes of memory in addition to the current objects, the limit for the server's heap;"
                        + " read another revision, or start the server with a larger heap (-Xmx)",
                false);
    }

    /** Returns whether the same request may succeed later. */
    public boolean isRetryable() {
        return fitsLater;
    }
}
