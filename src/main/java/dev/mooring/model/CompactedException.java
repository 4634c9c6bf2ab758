package dev.mooring.model;

import java.io.IOException;

/** The revision asked for has been cut off by retention: HTTP 410. */
public final class CompactedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long asked;
    private final long oldest;

    public CompactedException(long asked, long oldest) {
        super("Revision " + asked + " is no longer kept; the oldest that is kept is " + oldest
                + ". List again and go on from the list's revision; log.retention in conf/mooring.yaml decides"
                + " how much is kept");
        this.asked = asked;
        this.oldest = oldest;
    }

    public long asked() {
        return asked;
    }

    public long oldest() {
        return oldest;
    }
}
