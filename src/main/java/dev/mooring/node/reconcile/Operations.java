package dev.mooring.node.reconcile;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import java.util.List;

/**
 * What this process is doing to volumes outside of the World. It is only in memory: what was under way when the process died is not any
 * more, and {@link Recovery} finds that out before anything else is begun. Thread-safe; nothing here waits.
 */
public interface Operations {
    /** Whether an operation that is open in the World is being done, waits for its turn, or its end is still being written down. */
    boolean isUnderWay(OperationKey key, Operation operation);

    /**
     * Begins what has been opened, unless it is under way.
     *
     * @param podUid "" for an operation that concerns all Pods
     * @param desired what is wanted of the volume
     */
    void start(ActualVolume opened, Operation operation, String podUid, List<DesiredVolume> desired);
}
