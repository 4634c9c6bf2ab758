package dev.mooring.volume.work;

import java.io.IOException;
import java.nio.file.Path;

/**
 * How much a file system holds. Immutable.
 *
 * @param total bytes of the whole
 * @param available bytes that can still be written
 */
record FileSystemSpace(long total, long available) {
    /** Tells it for the file system a path lies in. A port, so that a test can play a disk. */
    @FunctionalInterface
    interface Gauge {
        FileSystemSpace of(Path path) throws IOException;
    }

    static FileSystemSpace measure(Path path) throws IOException {
        long total = path.toFile().getTotalSpace();
        if (total == 0) {
            throw new IOException("statvfs " + path + ": the file system does not tell its size");
        }
        return new FileSystemSpace(total, path.toFile().getUsableSpace());
    }
}
