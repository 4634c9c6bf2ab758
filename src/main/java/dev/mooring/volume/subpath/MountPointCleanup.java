package dev.mooring.volume.subpath;

import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.volume.subpath.SubPathException.SubPathStage;

/** Removes mount points of subPath mounts: empty directories and empty files only. */
final class MountPointCleanup {
    private MountPointCleanup() {}

    static void remove(OpenDirectory parent, String name, FileStatus status) throws PathException, SubPathException {
        if (status.isDirectory()) {
            parent.removeDirectory(name);
        } else if (status.isFile() && status.size() == 0) {
            parent.removeFile(name);
        } else {
            throw new SubPathException(
                    SubPathStage.PREPARING,
                    "NotEmpty",
                    "error deleting " + parent.path() + "/" + name + ": mount point is not empty, found a "
                            + status.type() + " of " + status.size() + " bytes");
        }
    }
}
