package dev.mooring.volume.work;

import dev.mooring.host.MountTable;
import dev.mooring.host.MountTable.Mount;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A mount table indexed by mount point, which answers queries of {@link MountTable} at a cost independent of the number
 * of mounts. Immutable.
 */
final class MountPathIndex {
    /** The visible mount at one mount point, and whether all mounts stacked there are local. */
    private record MountPointEntry(Mount seen, boolean local) {}

    private final Map<String, MountPointEntry> points = new HashMap<>();

    MountPathIndex(MountTable table) {
        for (Mount each : table.mounts()) {
            points.merge(
                    each.point(),
                    new MountPointEntry(each, each.isLocal()),
                    (below, above) -> new MountPointEntry(above.seen(), below.local() && above.local()));
        }
    }

    /** Returns whether all mounts on the way to an absolute path without links are local. */
    boolean isLocalPath(Path path) {
        for (Path each = path; each != null; each = each.getParent()) {
            MountPointEntry point = points.get(each.toString());
            if (point != null && !point.local()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the path is the mount point of a whole file system, not of one of its directories. */
    boolean isWholeFileSystem(Path path) {
        MountPointEntry point = points.get(path.toString());
        return point != null && point.seen().root().equals("/");
    }
}
