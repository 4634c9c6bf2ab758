package dev.mooring.node.work;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.VolumeOperation;

/**
 * What this process is doing outside of the World. It is only in memory: what was under way when the process died is not any more, and is
 * therefore begun again, which all work is made for. Thread-safe; nothing here waits.
 */
public interface Effects {
    /** Whether an operation is being done, waits for its turn here, or its end is still being written down. */
    boolean isUnderWay(ObjectKey operation);

    /** Begins an operation that is Running in the World, unless it is under way or the World has gone on since it was read. */
    void start(VolumeOperation operation);
}
