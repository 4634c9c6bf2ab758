package dev.mooring.host;

import java.util.List;
import java.util.Set;

/**
 * Removes everything below a directory using descriptors, without following links or crossing into another file system
 * or mount (fails with {@link PathException#isOtherMount}). Can be repeated after an interruption. Uses a bounded
 * number of descriptors: directories that are nested too deeply are first moved up to the top.
 */
public final class TreeRemover {
    /** Deeper than usual trees, but well below the descriptor limit of a process. */
    private static final int MAX_DEPTH = 100;

    /** Bounds the work if another process keeps creating files. */
    private static final int MAX_PASSES = 10_000;

    private final OpenDirectory top;
    private long moved;

    private TreeRemover(OpenDirectory top) {
        this.top = top;
    }

    /** Removes an entry and everything below it. A missing entry is success. */
    public static void remove(OpenDirectory parent, String name) throws PathException, InterruptedException {
        FileStatus status = parent.status(name).orElse(null);
        if (status == null) {
            return;
        }
        if (!status.isDirectory()) {
            parent.removeFile(name);
            return;
        }
        try (OpenDirectory top = parent.open(name)) {
            empty(top, Set.of());
        }
        parent.removeDirectory(name);
    }

    /** Removes everything in the directory except the given names; the directory itself stays. */
    public static void empty(OpenDirectory top, Set<String> kept) throws PathException, InterruptedException {
        new TreeRemover(top).empty(top, 0, kept);
    }

    /** Repeats passes until one finds nothing, because file systems may skip names during concurrent removals. */
    private void empty(OpenDirectory directory, int depth, Set<String> kept)
            throws PathException, InterruptedException {
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            boolean found = false;
            DirectoryEntries entries = directory.entries();
            for (List<byte[]> some = entries.nextBytes(); !some.isEmpty(); some = entries.nextBytes()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while removing the content of " + top.path());
                }
                for (byte[] name : some) {
                    if (depth > 0 || !kept.contains(Descriptor.displayName(name))) {
                        found = true;
                        remove(directory, name, depth);
                    }
                }
            }
            if (!found) {
                return;
            }
        }
        throw new PathException("empty", directory.path(), Errno.ENOTEMPTY);
    }

    private void remove(OpenDirectory parent, byte[] name, int depth) throws PathException, InterruptedException {
        FileStatus status = parent.status(name).orElse(null);
        if (status == null) {
            return;
        }
        try {
            if (!status.isDirectory()) {
                parent.removeFile(name);
            } else if (depth >= MAX_DEPTH) {
                moveToTop(parent, name);
            } else {
                removeDirectory(parent, name, depth);
            }
        } catch (PathException e) {
            // The entry was removed or replaced concurrently; the next pass sees the current state.
            if (!e.isMissing() && !e.isThroughSymlink() && !changed(e)) {
                throw e;
            }
        }
    }

    private void removeDirectory(OpenDirectory parent, byte[] name, int depth)
            throws PathException, InterruptedException {
        try (OpenDirectory directory = parent.child(name, MountScope.SAME_MOUNT)) {
            empty(directory, depth + 1, Set.of());
        }
        parent.removeDirectory(name);
    }

    /**
     * Moves a directory to the top, which is listed until it is empty, so that moved directories are removed as well.
     */
    private void moveToTop(OpenDirectory parent, byte[] name) throws PathException {
        for (; ; moved++) {
            try {
                parent.move(name, top, Descriptor.bytes(".mooring-deep-" + moved));
                return;
            } catch (PathException e) {
                if (!e.isExisting()) {
                    throw e;
                }
            }
        }
    }

    /** EISDIR and ENOTEMPTY: the entry changed after it was inspected. */
    private static boolean changed(PathException e) {
        return e.errno() == Errno.EISDIR || e.errno() == Errno.ENOTEMPTY;
    }
}
