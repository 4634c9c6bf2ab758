package dev.mooring.world;

import java.io.IOException;

/** Thrown when the World to be restored does not fit into memory. */
public final class WorldTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long bytes;

    WorldTooLargeException(long bytes, long maxBytes) {
        super("The objects need at least " + bytes + " bytes of memory, but the limit is " + maxBytes);
        this.bytes = bytes;
    }

    /** Returns the memory of the objects restored so far. */
    public long bytes() {
        return bytes;
    }
}
