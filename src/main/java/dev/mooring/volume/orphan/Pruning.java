package dev.mooring.volume.orphan;

import dev.mooring.volume.orphan.Leftover.What;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.Entries;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reach;
import dev.mooring.volume.path.Reference;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes directories of a known depth from the bottom up, if they are empty, and remembers what was not. What somebody mounts meanwhile is
 * neither entered nor touched. For one use, by one thread.
 */
final class Pruning {
    /** {@code volumes/<plugin>/<volume>} */
    private static final int BELOW_VOLUMES = 2;

    /** {@code volume-subpaths/<volume>/<container>/<index>} */
    private static final int BELOW_SUBPATHS = 3;

    private static final String NOT_EMPTY = "directory not empty";
    private static final String NO_DIRECTORY = "not a directory";

    private final List<Leftover> left = new ArrayList<>();

    List<Leftover> left() {
        return left;
    }

    void leave(What what, String path, String reason) {
        left.add(new Leftover(what, path, reason));
    }

    void volumes(Directory pod, String name) {
        prune(What.VOLUME, pod, name, BELOW_VOLUMES);
    }

    void subPaths(Directory pod, String name) {
        prune(What.SUBPATH, pod, name, BELOW_SUBPATHS);
    }

    /** @param levels how many there are below it; what is deeper is nobody's business here */
    private void prune(What what, Directory parent, String name, int levels) {
        if (levels == 0) {
            removeLast(what, parent, name);
            return;
        }
        int before = left.size();
        try (Directory directory = parent.open(name)) {
            for (String each : names(directory)) {
                prune(what, directory, each, levels - 1);
            }
        } catch (PathException e) {
            if (!e.isMissing()) {
                leave(what, parent.path() + '/' + name, words(e));
            }
        }
        if (left.size() == before) {
            removeDirectory(what, parent, name);
        }
    }

    private void removeLast(What what, Directory parent, String name) {
        if (what == What.SUBPATH && isEmptyFile(parent, name)) {
            try {
                parent.removeFile(name);
            } catch (PathException e) {
                leaveUnlessMissing(what, parent, name, e);
            }
        } else {
            removeDirectory(what, parent, name);
        }
    }

    /** Whatever may be mounted on it is not asked. */
    private static boolean isEmptyFile(Directory parent, String name) {
        try (Reference file = parent.refer(name, Reach.SAME_MOUNT)) {
            FileStatus status = file.status();
            return status.isFile() && status.size() == 0;
        } catch (PathException unknown) {
            return false;
        }
    }

    /** The kernel refuses if it is not empty, no directory, or something is mounted on it. */
    void removeDirectory(What what, Directory parent, String name) {
        try {
            parent.removeDirectory(name);
        } catch (PathException e) {
            leaveUnlessMissing(what, parent, name, e);
        }
    }

    private void leaveUnlessMissing(What what, Directory parent, String name, PathException e) {
        if (!e.isMissing()) {
            leave(what, parent.path() + '/' + name, words(e));
        }
    }

    /** All of them, read before any is removed. */
    static List<String> names(Directory directory) throws PathException {
        List<String> names = new ArrayList<>();
        Entries entries = directory.entries();
        for (List<String> some = entries.next(); !some.isEmpty(); some = entries.next()) {
            names.addAll(some);
        }
        return names;
    }

    static String words(PathException e) {
        if (e.isTaken()) {
            return NOT_EMPTY;
        }
        if (e.isDiverted()) {
            return NO_DIRECTORY;
        }
        String message = String.valueOf(e.getMessage());
        return message.substring(message.lastIndexOf(": ") + 1).strip();
    }
}
