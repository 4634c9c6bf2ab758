package dev.mooring.api;

/**
 * Limits of the memory that responses hold, on all connections.
 *
 * @param unread bytes written to clients that have not read them
 * @param outdated bytes of objects that were replaced in the World but that responses to slow clients still have to
 *     send
 */
public record MemoryLimits(long unread, long outdated) {
    /** Limits for a heap of 1 GiB or more. */
    public static final MemoryLimits DEFAULT = new MemoryLimits(64L << 20, 64L << 20);
}
