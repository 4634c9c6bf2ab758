package dev.mooring.volume.path;

import java.util.List;
import java.util.Set;

/**
 * Removes everything below a directory: by descriptors, never through a link, never into another file system or mount (it stops with
 * {@link PathException#isElsewhere}). Can be repeated after it was cut off anywhere. Uses a bounded number of descriptors however deep a
 * user has nested directories: what is too deep is first moved up to the top.
 */
public final class Tree {
    /** Far more than people nest, far fewer than the descriptors a process has. */
    private static final int MAX_DEPTH = 100;

    /** So that somebody who goes on making files does not keep us for ever. */
    private static final int MAX_PASSES = 10_000;

    private final Directory top;
    private long lifted;

    private Tree(Directory top) {
        this.top = top;
    }

    /** Removes that name and everything below it. Nothing there is fine. */
    public static void remove(Directory parent, String name) throws PathException, InterruptedException {
        FileStatus status = parent.status(name).orElse(null);
        if (status == null) {
            return;
        }
        if (!status.isDirectory()) {
            parent.removeFile(name);
            return;
        }
        try (Directory top = parent.open(name)) {
            empty(top, Set.of());
        }
        parent.removeDirectory(name);
    }

    /** Removes everything in it but what is called so; the directory itself stays. */
    public static void empty(Directory top, Set<String> kept) throws PathException, InterruptedException {
        new Tree(top).empty(top, 0, kept);
    }

    /** Passes until one finds nothing, because file systems may skip names when others are removed meanwhile. */
    private void empty(Directory directory, int depth, Set<String> kept) throws PathException, InterruptedException {
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            boolean found = false;
            Entries entries = directory.entries();
            for (List<byte[]> some = entries.nextBytes(); !some.isEmpty(); some = entries.nextBytes()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while removing what is below " + top.path());
                }
                for (byte[] name : some) {
                    if (depth > 0 || !kept.contains(Descriptor.words(name))) {
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

    private void remove(Directory parent, byte[] name, int depth) throws PathException, InterruptedException {
        FileStatus status = parent.status(name).orElse(null);
        if (status == null) {
            return;
        }
        try {
            if (!status.isDirectory()) {
                parent.removeFile(name);
            } else if (depth >= MAX_DEPTH) {
                lift(parent, name);
            } else {
                removeDirectory(parent, name, depth);
            }
        } catch (PathException e) {
            // Somebody else removed it, or put something of another type there: the next pass sees what there is now.
            if (!e.isMissing() && !e.isDiverted() && !changed(e)) {
                throw e;
            }
        }
    }

    private void removeDirectory(Directory parent, byte[] name, int depth) throws PathException, InterruptedException {
        try (Directory directory = parent.child(name, Reach.SAME_MOUNT)) {
            empty(directory, depth + 1, Set.of());
        }
        parent.removeDirectory(name);
    }

    /** The top is listed again until it is empty, so what comes to lie there is not forgotten. */
    private void lift(Directory parent, byte[] name) throws PathException {
        for (; ; lifted++) {
            try {
                parent.move(name, top, Descriptor.bytes(".mooring-deep-" + lifted));
                return;
            } catch (PathException e) {
                if (!e.isTaken()) {
                    throw e;
                }
            }
        }
    }

    /** EISDIR and ENOTEMPTY: it was changed between looking and removing. */
    private static boolean changed(PathException e) {
        return e.errno() == Errno.EISDIR || e.errno() == Errno.ENOTEMPTY;
    }
}
