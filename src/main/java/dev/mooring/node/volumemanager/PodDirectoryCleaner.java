package dev.mooring.node.volumemanager;

import java.util.function.Predicate;

/**
 * The effects of {@link PodDirectoryController}. Methods return at once; repeated requests are merged while they are
 * queued. Any thread.
 */
public interface PodDirectoryCleaner {
    /** Removes the directory of a Pod that is no longer referenced. */
    void remove(String podUid);

    /**
     * Removes all directories of unknown Pods.
     *
     * @param known whether a UID is known; called later, by another thread
     */
    void sweep(Predicate<String> known);
}
