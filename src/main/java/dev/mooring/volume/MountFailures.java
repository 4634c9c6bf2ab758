package dev.mooring.volume;

import dev.mooring.host.PathException;
import dev.mooring.volume.VolumeException.FailureState;

/** Translates kernel errors to messages. */
final class MountFailures {
    private MountFailures() {}

    static VolumeException clean(String doing, PathException e) {
        return of(FailureState.CLEAN, doing, e);
    }

    static VolumeException uncertain(String doing, PathException e) {
        return of(FailureState.UNCERTAIN, doing, e);
    }

    private static VolumeException of(FailureState left, String doing, PathException e) {
        String reason = "SystemCallFailed";
        String advice = "retrying";
        if (e.isMissing()) {
            reason = "NotFound";
        } else if (e.isThroughSymlink()) {
            reason = "WrongType";
            advice = "the path contains a symbolic link or a file instead of a directory: remove it";
        } else if (e.isOtherMount()) {
            reason = "Mounted";
            advice = "an unexpected file system is mounted above it: find out which, and unmount it";
        }
        return new VolumeException(
                left, reason, "Cannot " + doing + ": " + e.getMessage() + "; " + advice, e.getMessage());
    }
}
