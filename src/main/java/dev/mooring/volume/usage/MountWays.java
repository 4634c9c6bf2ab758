package dev.mooring.volume.usage;

import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.MountTable.Mount;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A mount table, by mount point: answers the questions of {@link MountTable} about many paths, each at a cost that does not grow with the
 * number of mounts. Immutable.
 */
final class MountWays {
    /** What is at one point: the mount that is seen, and whether all that are stacked there are this machine's own. */
    private record Point(Mount seen, boolean local) {}

    private final Map<String, Point> points = new HashMap<>();

    MountWays(MountTable table) {
        for (Mount each : table.mounts()) {
            points.merge(
                    each.point(),
                    new Point(each, each.isLocal()),
                    (below, above) -> new Point(above.seen(), below.local() && above.local()));
        }
    }

    /** Whether nothing on the way to an absolute path without links, nor what it lies in, needs another machine or a program. */
    boolean isLocalAllTheWay(Path path) {
        for (Path each = path; each != null; each = each.getParent()) {
            Point point = points.get(each.toString());
            if (point != null && !point.local()) {
                return false;
            }
        }
        return true;
    }

    /** Whether a path is where a whole file system is mounted, and not a directory of one. */
    boolean isWholeFileSystem(Path path) {
        Point point = points.get(path.toString());
        return point != null && point.seen().root().equals("/");
    }
}
