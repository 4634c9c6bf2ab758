package dev.mooring.volume.local;

import dev.mooring.host.FileStatus;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** The kernel's number of a device, independent of its names. */
record DeviceNumber(int major, int minor) {
    /**
     * Returns the number of a device node.
     *
     * @param device path of the node, not a link
     */
    static DeviceNumber of(Path device) throws VolumeException {
        try {
            return decoded((long) Files.getAttribute(device, "unix:rdev", LinkOption.NOFOLLOW_LINKS));
        } catch (IOException e) {
            throw VolumeException.clean("Unreadable", "cannot inspect " + device + ": " + e.getMessage());
        }
    }

    /** Decodes a {@code dev_t}, in which the bits of both parts are interleaved for historical reasons. */
    private static DeviceNumber decoded(long rdev) {
        int major = (int) (((rdev >>> 8) & 0xfff) | ((rdev >>> 32) & ~0xfff));
        int minor = (int) ((rdev & 0xff) | ((rdev >>> 12) & ~0xff));
        return new DeviceNumber(major, minor);
    }

    /** Returns whether the file is in a file system on this device. */
    boolean holds(FileStatus file) {
        return file.location().major() == major && file.location().minor() == minor;
    }
}
