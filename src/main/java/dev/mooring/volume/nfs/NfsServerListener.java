package dev.mooring.volume.nfs;

/**
 * Receives state changes of NFS servers (open, half-open, closed), in order and one at a time. Must not block or throw.
 */
@FunctionalInterface
public interface NfsServerListener {
    /** No-op. */
    NfsServerListener NO_OP = now -> {};

    void onChange(ServerHealth now);
}
