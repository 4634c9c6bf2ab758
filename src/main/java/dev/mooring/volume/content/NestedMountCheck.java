package dev.mooring.volume.content;

import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Checks that nothing is mounted below a directory before its content is deleted. Checks each of the few files instead
 * of reading the mount table, which may be long; reads the table on kernels before Linux 5.8. Stateless.
 */
final class NestedMountCheck {
    private NestedMountCheck() {}

    static void require(OpenDirectory directory, Path path, Mounter mounter) throws VolumeException, PathException {
        long mount = directory.status().location().mount();
        if (mount == 0) {
            if (!mounter.table().below(path).isEmpty()) {
                throw refused(mounter.table().below(path).get(0).point());
            }
            return;
        }
        try {
            VersionDirectory files = new VersionDirectory(directory, FsGroupPermissions.UNCHANGED);
            for (Map.Entry<String, FileStatus> each : files.below().entrySet()) {
                if (each.getValue().location().mount() != mount) {
                    throw refused(path.resolve(each.getKey()).toString());
                }
            }
        } catch (PathException e) {
            if (e.isOtherMount()) {
                throw refused(e.getMessage());
            }
            throw e;
        }
    }

    private static VolumeException refused(String point) {
        return VolumeException.uncertain(
                "MountedBelow",
                "Cannot delete the volume: something is mounted at " + point
                        + "; nothing was deleted. Unmount it, the deletion is retried",
                "");
    }
}
