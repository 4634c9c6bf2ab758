package dev.mooring.volume.nfs;

/** Is told when a server is given up, tried again, and found to be back: in that order, one at a time. Never blocks, never throws. */
@FunctionalInterface
public interface ServerListener {
    /** For whoever does not want to know. */
    ServerListener NOBODY = now -> {};

    void changed(ServerHealth now);
}
