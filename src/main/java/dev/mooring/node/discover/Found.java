package dev.mooring.node.discover;

import java.nio.file.Path;

/**
 * Something below a configured directory that can be a volume.
 *
 * @param path where it is
 * @param in the directory it was found in
 * @param bytes how large it is; of a {@link Form#PLAIN} one, how large the file system is that it shares
 */
public record Found(Path path, Directory in, Form form, long bytes) {
    /** What it is. */
    public enum Form {
        /** A directory on which a file system is mounted. */
        MOUNTED,
        /** A directory like any other. Nothing keeps it from growing. */
        PLAIN,
        /** A block device, or a link to one. */
        DEVICE
    }
}
