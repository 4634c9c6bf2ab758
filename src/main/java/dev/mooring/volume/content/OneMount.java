package dev.mooring.volume.content;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Makes sure that nothing is mounted below a directory before anything in it is deleted. Asks about every file of it, which are few,
 * rather than reading the table of all mounts, which may be long; unless the kernel is too old to say (before Linux 5.8). Stateless.
 */
final class OneMount {
    private OneMount() {}

    static void require(Directory directory, Path path, Mounter mounter) throws VolumeException, PathException {
        long mount = directory.status().place().mount();
        if (mount == 0) {
            if (!mounter.table().below(path).isEmpty()) {
                throw refused(mounter.table().below(path).get(0).point());
            }
            return;
        }
        try {
            VersionFiles files = new VersionFiles(directory, GroupAccess.UNCHANGED);
            for (Map.Entry<String, FileStatus> each : files.below().entrySet()) {
                if (each.getValue().place().mount() != mount) {
                    throw refused(path.resolve(each.getKey()).toString());
                }
            }
        } catch (PathException e) {
            if (e.isElsewhere()) {
                throw refused(e.getMessage());
            }
            throw e;
        }
    }

    private static VolumeException refused(String point) {
        return VolumeException.uncertain(
                "MountedBelow",
                "Expected nothing to be mounted in a volume that is to be deleted, but something is: " + point
                        + "; nothing was deleted. Unmount it, and the rest follows by itself",
                "");
    }
}
