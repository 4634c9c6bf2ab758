package dev.mooring.volume.work;

import dev.mooring.host.FileStatus;
import dev.mooring.host.PathException;
import dev.mooring.model.Quantity;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Compares the total size of all images of one base with the capacity of its file system. Images are sparse; if all
 * were filled, each must get the space it promises, or writes to a volume fail although it is not full. Not
 * thread-safe.
 */
final class OvercommitCheck {
    private final FileSystemSpace.SpaceProbe gauge;

    OvercommitCheck(FileSystemSpace.SpaceProbe gauge) {
        this.gauge = gauge;
    }

    /** Requires that the file system has capacity for one image of this size in addition to all others. */
    void requireCapacity(Path path, VolumeBaseDirectory base, String uid, long bytes, long allocated)
            throws VolumeWorkException, PathException {
        long promised = 0;
        long written = allocated;
        int images = 0;
        for (FileStatus each : base.otherVolumes(uid)) {
            promised = Math.addExact(promised, each.size());
            written += Math.min(each.allocated(), each.size());
            images++;
        }
        FileSystemSpace space;
        try {
            space = gauge.of(path);
        } catch (IOException e) {
            throw VolumeWorkException.of("measure " + path, e);
        }
        long forImages = space.available() + written;
        if (bytes > forImages - promised) {
            long others = Math.max(0, space.total() - forImages);
            throw new VolumeWorkException(
                    VolumeWorkException.NO_SPACE,
                    "Not enough space for " + formatBytes(bytes) + " in " + path + ": its file system of "
                            + formatBytes(space.total()) + " has " + formatBytes(forImages) + " for images ("
                            + formatBytes(others)
                            + " are reserved or in other use), of which " + images + " other images have reserved "
                            + formatBytes(promised) + "; " + formatBytes(bytes - (forImages - promised))
                            + " are missing: request less, free space, or allow it with the parameter overcommit:"
                            + " \"true\"");
        }
    }

    private static String formatBytes(long bytes) {
        long mebi = 1024 * 1024;
        return bytes >= mebi ? Quantity.ofBytes(bytes / mebi * mebi) + "" : bytes + " bytes";
    }
}
