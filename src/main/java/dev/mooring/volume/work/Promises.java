package dev.mooring.volume.work;

import dev.mooring.model.Quantity;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What the images of one base promise to their users, against what the file system could ever give them. An image takes no space before
 * it is written to; if all were filled, each must find the space it promises, or a container sees its disk fail although it is not full.
 * Not for several threads at once.
 */
final class Promises {
    private final FileSystemSpace.Gauge gauge;

    Promises(FileSystemSpace.Gauge gauge) {
        this.gauge = gauge;
    }

    /** Whether one image may promise so much, all others being as they are. */
    void mustBeKept(Path path, MarkedBase base, String uid, long bytes, long allocated)
            throws VolumeWorkException, PathException {
        long promised = 0;
        long written = allocated;
        int images = 0;
        for (FileStatus each : base.placed(uid)) {
            promised = Math.addExact(promised, each.size());
            written += Math.min(each.allocated(), each.size());
            images++;
        }
        FileSystemSpace space;
        try {
            space = gauge.of(path);
        } catch (IOException e) {
            throw VolumeWorkException.of("measuring " + path, e);
        }
        long forImages = space.available() + written;
        if (bytes > forImages - promised) {
            long others = Math.max(0, space.total() - forImages);
            throw new VolumeWorkException(
                    VolumeWorkException.NO_SPACE,
                    "Expected room for " + words(bytes) + " in " + path + ", but its file system of "
                            + words(space.total()) + " has " + words(forImages) + " for images (" + words(others)
                            + " are reserved or used by others), and " + images + " other images promise "
                            + words(promised) + " of that already: " + words(bytes - (forImages - promised))
                            + " are missing; ask for less, make room, or allow it with the parameter overcommit:"
                            + " \"true\"");
        }
    }

    private static String words(long bytes) {
        long mebi = 1024 * 1024;
        return bytes >= mebi ? Quantity.ofBytes(bytes / mebi * mebi) + "" : bytes + " bytes";
    }
}
