package dev.mooring.node.volumemanager;

import java.nio.file.Path;

/**
 * An entry of a configured directory that can become a volume.
 *
 * @param path its path
 * @param directory the directory that contains it
 * @param bytes its size; for {@link EntryType#PLAIN}, the size of the shared file system
 */
public record DiscoveredEntry(Path path, DiscoveryDirectory directory, EntryType type, long bytes) {
    /** The type of an entry. */
    public enum EntryType {
        /** A mount point of a file system. */
        MOUNTED,
        /** An ordinary directory. Its size is not limited. */
        PLAIN,
        /** A block device, or a symbolic link to one. */
        DEVICE
    }
}
