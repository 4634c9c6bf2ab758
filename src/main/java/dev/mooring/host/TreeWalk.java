package dev.mooring.host;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Visits everything below a directory using descriptors, without following links or accessing other mounts. Entries of
 * a directory are visited before the directory, except for very deep ones, which come later to bound the number of open
 * descriptors. Skips entries that are removed concurrently and may miss entries that are added. For one walk by one
 * thread.
 */
public final class TreeWalk {
    /** Deeper than usual trees, but well below the descriptor limit of a process. */
    private static final int MAX_DEPTH = 100;

    /** Visits entries. The walk closes the descriptor afterwards. */
    public interface TreeVisitor {
        void visit(Descriptor file, FileStatus status) throws PathException;
    }

    private final OpenDirectory top;
    private final TreeVisitor visitor;
    private final Deque<List<byte[]>> tooDeep = new ArrayDeque<>();

    /** Names from the top to the current directory. */
    private final List<byte[]> path = new ArrayList<>();

    private TreeWalk(OpenDirectory top, TreeVisitor visitor) {
        this.top = top;
        this.visitor = visitor;
    }

    /** Visits everything below the directory, excluding the directory itself. */
    public static void below(OpenDirectory top, TreeVisitor visitor) throws PathException, InterruptedException {
        TreeWalk walk = new TreeWalk(top, visitor);
        walk.visitChildren(top, 0);
        for (List<byte[]> each = walk.tooDeep.poll(); each != null; each = walk.tooDeep.poll()) {
            walk.visitDeferred(each);
        }
    }

    private void visitDeferred(List<byte[]> names) throws PathException, InterruptedException {
        path.clear();
        path.addAll(names);
        try {
            OpenDirectory at = top.open(List.of());
            for (byte[] name : names) {
                try (OpenDirectory above = at) {
                    at = above.child(name, MountScope.SAME_MOUNT);
                }
            }
            directory(at, 0);
        } catch (PathException e) {
            tolerate(e);
        }
    }

    private void visitChildren(OpenDirectory directory, int depth) throws PathException, InterruptedException {
        DirectoryEntries entries = directory.entries();
        for (List<byte[]> some = entries.nextBytes(); !some.isEmpty(); some = entries.nextBytes()) {
            for (byte[] name : some) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while walking " + top.path());
                }
                path.add(name);
                visitEntry(directory, name, depth);
                path.remove(path.size() - 1);
            }
        }
    }

    private void visitEntry(OpenDirectory parent, byte[] name, int depth) throws PathException, InterruptedException {
        try (FileReference found = parent.reference(name, MountScope.SAME_MOUNT)) {
            FileStatus status = found.status();
            if (!status.isDirectory()) {
                visitor.visit(found, status);
            } else if (depth >= MAX_DEPTH) {
                tooDeep.add(List.copyOf(path));
            } else {
                directory(OpenDirectory.of(found), depth + 1);
            }
        } catch (PathException e) {
            tolerate(e);
        }
    }

    private void directory(OpenDirectory opened, int depth) throws PathException, InterruptedException {
        try (opened) {
            visitChildren(opened, depth);
            visitor.visit(opened, opened.status());
        }
    }

    /** Ignores entries that were removed or replaced concurrently, and other mounts. */
    private static void tolerate(PathException e) throws PathException {
        if (!e.isMissing() && !e.isThroughSymlink() && !e.isOtherMount()) {
            throw e;
        }
    }
}
