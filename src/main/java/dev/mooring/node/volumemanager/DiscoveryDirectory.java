package dev.mooring.node.volumemanager;

import java.nio.file.Path;

/**
 * A directory whose entries become volumes.
 *
 * @param directory absolute
 * @param storageClass of the volumes
 * @param onlyMountPoints whether to skip directories that are not mount points, such as those of a missing disk
 * @param wipe whether released volumes are wiped and offered again; all others, and devices, are retained
 */
public record DiscoveryDirectory(Path directory, String storageClass, boolean onlyMountPoints, boolean wipe) {
    public DiscoveryDirectory {
        if (!directory.isAbsolute() || !directory.equals(directory.normalize()) || directory.getNameCount() == 0) {
            throw new IllegalArgumentException(
                    "Discovery path must be absolute, normalized and below the root directory, got " + directory);
        }
        if (storageClass.isEmpty()) {
            throw new IllegalArgumentException("The storage class for discovery in " + directory
                    + " is empty; set one, so that only claims of that class get these volumes");
        }
    }
}
