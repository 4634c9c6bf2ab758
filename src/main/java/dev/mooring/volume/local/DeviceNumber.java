package dev.mooring.volume.local;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.FileStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** By which the kernel knows a device, whatever its names are. */
record DeviceNumber(int major, int minor) {
    /** @param device whose node it is, no link */
    static DeviceNumber of(Path device) throws VolumeException {
        try {
            return decoded((long) Files.getAttribute(device, "unix:rdev", LinkOption.NOFOLLOW_LINKS));
        } catch (IOException e) {
            throw VolumeException.clean("Unreadable", "cannot look at " + device + ": " + e.getMessage());
        }
    }

    /** Both parts are scattered over it, for the sake of times when there were few devices. */
    private static DeviceNumber decoded(long rdev) {
        int major = (int) (((rdev >>> 8) & 0xfff) | ((rdev >>> 32) & ~0xfff));
        int minor = (int) ((rdev & 0xff) | ((rdev >>> 12) & ~0xff));
        return new DeviceNumber(major, minor);
    }

    /** Whether a file is in a file system that is on this device. */
    boolean holds(FileStatus file) {
        return file.place().major() == major && file.place().minor() == minor;
    }
}
