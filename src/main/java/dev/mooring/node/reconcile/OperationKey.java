package dev.mooring.node.reconcile;

import dev.mooring.model.ObjectKey;

/**
 * What an operation keeps to itself.
 *
 * @param volume an ActualVolume
 * @param podUid "" for all Pods that have it
 */
public record OperationKey(ObjectKey volume, String podUid) {
    /** Whether the two must not be under way at once. */
    boolean conflictsWith(OperationKey other) {
        return volume.equals(other.volume)
                && (podUid.isEmpty() || other.podUid.isEmpty() || podUid.equals(other.podUid));
    }
}
