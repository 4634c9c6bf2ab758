package dev.mooring.volume.work;

import dev.mooring.host.DirectoryEntries;
import dev.mooring.host.FileReference;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountScope;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.volume.work.Leftover.LeftoverKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes empty directories of a known depth bottom-up and collects those that are not empty. Does not enter or touch
 * mounts that appear meanwhile. For one use by one thread.
 */
final class EmptyDirectoryRemover {
    /** {@code volumes/<plugin>/<volume>} */
    private static final int BELOW_VOLUMES = 2;

    /** {@code volume-subpaths/<volume>/<container>/<index>} */
    private static final int BELOW_SUBPATHS = 3;

    private static final String NOT_EMPTY = "directory not empty";
    private static final String NO_DIRECTORY = "not a directory";

    private final List<Leftover> leftovers = new ArrayList<>();

    List<Leftover> leftovers() {
        return leftovers;
    }

    void addLeftover(LeftoverKind kind, String path, String reason) {
        leftovers.add(new Leftover(kind, path, reason));
    }

    void volumes(OpenDirectory pod, String name) {
        prune(LeftoverKind.VOLUME, pod, name, BELOW_VOLUMES);
    }

    void subPaths(OpenDirectory pod, String name) {
        prune(LeftoverKind.SUBPATH, pod, name, BELOW_SUBPATHS);
    }

    /**
     * Removes empty directories below a name.
     *
     * @param levels depth of the known structure; nothing below it is inspected
     */
    private void prune(LeftoverKind kind, OpenDirectory parent, String name, int levels) {
        if (levels == 0) {
            removeLast(kind, parent, name);
            return;
        }
        int before = leftovers.size();
        try (OpenDirectory directory = parent.open(name)) {
            for (String each : names(directory)) {
                prune(kind, directory, each, levels - 1);
            }
        } catch (PathException e) {
            if (!e.isMissing()) {
                addLeftover(kind, parent.path() + '/' + name, reasonOf(e));
            }
        }
        if (leftovers.size() == before) {
            removeDirectory(kind, parent, name);
        }
    }

    private void removeLast(LeftoverKind kind, OpenDirectory parent, String name) {
        if (kind == LeftoverKind.SUBPATH && isEmptyFile(parent, name)) {
            try {
                parent.removeFile(name);
            } catch (PathException e) {
                addLeftoverUnlessMissing(kind, parent, name, e);
            }
        } else {
            removeDirectory(kind, parent, name);
        }
    }

    /** Returns whether the entry is an empty file, without accessing a file system mounted on it. */
    private static boolean isEmptyFile(OpenDirectory parent, String name) {
        try (FileReference file = parent.reference(name, MountScope.SAME_MOUNT)) {
            FileStatus status = file.status();
            return status.isFile() && status.size() == 0;
        } catch (PathException unknown) {
            return false;
        }
    }

    /** Removes the directory. The kernel refuses if it is not empty, not a directory, or a mount point. */
    void removeDirectory(LeftoverKind kind, OpenDirectory parent, String name) {
        try {
            parent.removeDirectory(name);
        } catch (PathException e) {
            addLeftoverUnlessMissing(kind, parent, name, e);
        }
    }

    private void addLeftoverUnlessMissing(LeftoverKind kind, OpenDirectory parent, String name, PathException e) {
        if (!e.isMissing()) {
            addLeftover(kind, parent.path() + '/' + name, reasonOf(e));
        }
    }

    /** Returns all names, read before any entry is removed. */
    static List<String> names(OpenDirectory directory) throws PathException {
        List<String> names = new ArrayList<>();
        DirectoryEntries entries = directory.entries();
        for (List<String> some = entries.next(); !some.isEmpty(); some = entries.next()) {
            names.addAll(some);
        }
        return names;
    }

    static String reasonOf(PathException e) {
        if (e.isExisting()) {
            return NOT_EMPTY;
        }
        if (e.isThroughSymlink()) {
            return NO_DIRECTORY;
        }
        String message = String.valueOf(e.getMessage());
        return message.substring(message.lastIndexOf(": ") + 1).strip();
    }
}
