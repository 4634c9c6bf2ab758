package dev.mooring.node.volumemanager;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.VolumeOperation;

/**
 * The operations that this process executes. Kept in memory only: operations that were in progress when the process
 * died are started again, which is safe because all work is idempotent. Thread-safe; never blocks.
 */
public interface PendingWork {
    /** Returns whether an operation is queued, running, or its result is being written. */
    boolean isPending(ObjectKey operation);

    /**
     * Starts an operation that is Running in the World, unless it is pending or the World has changed since it was
     * read.
     */
    void start(VolumeOperation operation);
}
