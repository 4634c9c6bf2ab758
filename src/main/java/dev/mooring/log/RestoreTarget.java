package dev.mooring.log;

import java.io.IOException;

/**
 * Receives the content of a log while it is opened: at most one snapshot, then every batch after it. So opening the log
 * and rebuilding the World share one read.
 */
public interface RestoreTarget {
    /**
     * Announces the size of the next snapshot.
     *
     * @throws IOException if it is too large
     */
    default void snapshotSize(long bytes) throws IOException {}

    void snapshot(Snapshot snapshot) throws IOException;

    void batch(Batch batch) throws IOException;
}
