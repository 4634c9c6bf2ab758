package dev.mooring.volume.subpath;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.subpath.SubPathException.Stage;

/** Removes what parts of volumes were mounted on: directories and files that are empty, and nothing else ever. */
final class MountPoints {
    private MountPoints() {}

    static void remove(Directory parent, String name, FileStatus status) throws PathException, SubPathException {
        if (status.isDirectory()) {
            parent.removeDirectory(name);
        } else if (status.isFile() && status.size() == 0) {
            parent.removeFile(name);
        } else {
            throw new SubPathException(
                    Stage.PREPARING,
                    "NotEmpty",
                    "error deleting " + parent.path() + "/" + name + ": expected an empty mount point, but found a "
                            + status.type() + " of " + status.size() + " bytes");
        }
    }
}
