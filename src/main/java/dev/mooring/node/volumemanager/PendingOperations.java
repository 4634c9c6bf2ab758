package dev.mooring.node.volumemanager;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import java.util.List;

/**
 * The volume operations that this process executes. Kept in memory only: operations that were in progress when the
 * process died are handled by {@link Recovery} before anything else starts. Thread-safe; never blocks.
 */
public interface PendingOperations {
    /**
     * Returns whether an operation that is in progress in the World is queued, running, or its result is being written.
     */
    boolean isOperationPending(OperationKey key, Operation operation);

    /**
     * Executes a started operation, unless it is pending.
     *
     * @param podUid "" for an operation that concerns all Pods
     * @param desired the DesiredVolumes of the volume
     */
    void start(ActualVolume opened, Operation operation, String podUid, List<DesiredVolume> desired);
}
