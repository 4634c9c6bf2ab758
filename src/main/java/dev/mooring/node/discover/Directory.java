package dev.mooring.node.discover;

import java.nio.file.Path;

/**
 * A directory whose entries become volumes.
 *
 * @param directory absolute
 * @param storageClass of the volumes
 * @param onlyMountPoints whether directories that are not mounted are passed over, such as those whose disk is missing
 * @param wipe whether volumes that are given back are emptied and offered again; others, and devices, wait for a person
 */
public record Directory(Path directory, String storageClass, boolean onlyMountPoints, boolean wipe) {
    public Directory {
        if (!directory.isAbsolute() || !directory.equals(directory.normalize()) || directory.getNameCount() == 0) {
            throw new IllegalArgumentException(
                    "Expected an absolute path without . and .. below the root for discovery, but it is " + directory);
        }
        if (storageClass.isEmpty()) {
            throw new IllegalArgumentException("Expected a storage class for discovery in " + directory
                    + ", but it is empty; claims would get these volumes by chance");
        }
    }
}
