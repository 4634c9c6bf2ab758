package dev.mooring.node.volumemanager;

import dev.mooring.model.ObjectKey;

/**
 * The exclusive scope of an operation.
 *
 * @param volume an ActualVolume
 * @param podUid "" for all Pods of the volume
 */
public record OperationKey(ObjectKey volume, String podUid) {}
