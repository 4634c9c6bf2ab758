package dev.mooring.volume.work;

import dev.mooring.volume.path.MountTable;
import java.io.IOException;

/** Tells what is mounted at this moment. A port, so that a test can play the kernel. */
@FunctionalInterface
interface Mounts {
    MountTable read() throws IOException;
}
