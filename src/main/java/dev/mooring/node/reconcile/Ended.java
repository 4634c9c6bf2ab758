package dev.mooring.node.reconcile;

import dev.mooring.volume.DeviceState;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.VolumeException;

/** How an operation ended. */
sealed interface Ended {
    /** The device is there. */
    record Attached(String devicePath) implements Ended {}

    /** It is ready for all Pods, and so large; 0 if that does not matter. */
    record Ready(DeviceState state, long bytes) implements Ended {}

    /** A Pod has it. */
    record Mounted(SetUpDone done, Wish wish) implements Ended {}

    /** It is as large as wanted, and so large. */
    record Grown(long bytes) implements Ended {}

    /** It is gone. */
    record Gone() implements Ended {}

    /** It failed, and may or may not have left something behind. Will be tried again. */
    record Failed(VolumeException.Left left, String reason, String message, String raw) implements Ended {
        static Failed of(VolumeException e) {
            return new Failed(e.left(), e.reason(), String.valueOf(e.getMessage()), e.raw());
        }
    }
}
