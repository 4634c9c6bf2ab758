package dev.mooring.volume.work;

import dev.mooring.host.MountTable;
import java.io.IOException;

/** Returns the current mount table. An interface, so that tests can replace the kernel. */
@FunctionalInterface
interface MountTableSupplier {
    MountTable read() throws IOException;
}
