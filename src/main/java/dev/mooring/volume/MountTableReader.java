package dev.mooring.volume;

import dev.mooring.host.MountTable;
import java.io.IOException;

/** Reads the current mount table. An interface, so that tests can replace the kernel. Thread-safe. */
interface MountTableReader {
    /** Reads the kernel's mount table. */
    MountTableReader REAL = () -> {
        try {
            return MountTable.read();
        } catch (IOException e) {
            throw VolumeException.uncertain("NoMountTable", "Cannot read /proc/self/mountinfo: " + e, "");
        }
    };

    MountTable read() throws VolumeException;
}
