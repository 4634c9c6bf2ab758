package dev.mooring.volume.mount;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.PathException;

/** Puts what the kernel says into words. */
final class Failures {
    private Failures() {}

    static VolumeException clean(String doing, PathException e) {
        return of(Left.NOTHING, doing, e);
    }

    static VolumeException uncertain(String doing, PathException e) {
        return of(Left.PERHAPS_SOMETHING, doing, e);
    }

    private static VolumeException of(Left left, String doing, PathException e) {
        String reason = "SystemCallFailed";
        String advice = "it is tried again";
        if (e.isMissing()) {
            reason = "NotFound";
        } else if (e.isDiverted()) {
            reason = "WrongType";
            advice = "a symbolic link or a file is where a directory should be: see who put it there, and remove it";
        } else if (e.isElsewhere()) {
            reason = "Mounted";
            advice = "something is mounted on the way to it, where nothing should be: see what, and unmount it";
        }
        return new VolumeException(
                left, reason, "Expected to " + doing + ", but " + e.getMessage() + ": " + advice, e.getMessage());
    }
}
