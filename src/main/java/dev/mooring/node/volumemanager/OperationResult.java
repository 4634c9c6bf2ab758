package dev.mooring.node.volumemanager;

import dev.mooring.volume.DeviceState;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.VolumeException;

/** The result of an operation. */
sealed interface OperationResult {
    /** The device is attached. */
    record Attached(String devicePath) implements OperationResult {}

    /** The device is mounted for all Pods. Its size in bytes is 0 if not relevant. */
    record DeviceMounted(DeviceState state, long bytes) implements OperationResult {}

    /** The volume is mounted for a Pod. */
    record Mounted(SetUpResult done, MountRequest request) implements OperationResult {}

    /** The volume has the requested size. Contains its size in bytes. */
    record Expanded(long bytes) implements OperationResult {}

    /** The mount or device is removed. */
    record Removed() implements OperationResult {}

    /** The operation failed, and may have left something behind. Will be retried. */
    record Failed(VolumeException.FailureState left, String reason, String message, String raw)
            implements OperationResult {
        static Failed of(VolumeException e) {
            return new Failed(e.failureState(), e.reason(), String.valueOf(e.getMessage()), e.raw());
        }
    }
}
