package dev.mooring.log;

import java.io.IOException;

/**
 * Receives what a log holds while it is being opened: at most one snapshot, first, and then every batch after it. So opening
 * and rebuilding the World read the log once, not twice.
 */
public interface Restore {
    void snapshot(Snapshot snapshot) throws IOException;

    void batch(Batch batch) throws IOException;
}
