package dev.mooring.volume;

/**
 * Receives state changes of remote servers (open, half-open, closed), in order and one at a time. Must not block or throw.
 */
@FunctionalInterface
public interface ServerListener {
    /** No-op. */
    ServerListener NO_OP = now -> {};

    void onChange(ServerHealth now);
}
