package dev.mooring.volume.work;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Capacity of a file system. Immutable.
 *
 * @param total total bytes
 * @param available bytes that can still be written
 */
record FileSystemSpace(long total, long available) {
    /**
     * Returns the capacity of the file system that contains a path. An interface, so that tests can replace the disk.
     */
    @FunctionalInterface
    interface SpaceProbe {
        FileSystemSpace of(Path path) throws IOException;
    }

    static FileSystemSpace measure(Path path) throws IOException {
        long total = path.toFile().getTotalSpace();
        if (total == 0) {
            throw new IOException("statvfs " + path + ": the file system does not report its size");
        }
        return new FileSystemSpace(total, path.toFile().getUsableSpace());
    }
}
