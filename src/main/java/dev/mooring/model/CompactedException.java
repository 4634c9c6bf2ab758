package dev.mooring.model;

import java.io.IOException;

/** Thrown when the requested revision was removed by retention: HTTP 410. */
public final class CompactedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long requested;
    private final long oldest;

    public CompactedException(long requested, long oldest) {
        super("Revision " + requested + " is no longer kept; the oldest one is " + oldest
                + ". List again and continue from the list's revision; log.retention in conf/mooring.yaml sets"
                + " how much is kept");
        this.requested = requested;
        this.oldest = oldest;
    }

    public long asked() {
        return requested;
    }

    public long oldest() {
        return oldest;
    }
}
