package dev.mooring.volume.mount;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.MountTable;
import java.io.IOException;

/** Reads what is mounted at this moment. An interface, so that a test can play the kernel. Any thread. */
interface Tables {
    /** As the kernel tells. */
    Tables REAL = () -> {
        try {
            return MountTable.read();
        } catch (IOException e) {
            throw VolumeException.uncertain(
                    "NoMountTable", "Expected to read what is mounted, but /proc/self/mountinfo says: " + e, "");
        }
    };

    MountTable read() throws VolumeException;
}
