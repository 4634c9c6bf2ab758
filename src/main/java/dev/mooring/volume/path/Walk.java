package dev.mooring.volume.path;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Shows everything below a directory to a visitor: by descriptors, never through a link, never into another mount (which is not even touched).
 * What is in a directory comes before the directory, but for what is nested very deep; that comes later, so that the number of open
 * descriptors is bounded. What others remove meanwhile is passed over; what they add may be. One walk, one thread.
 */
public final class Walk {
    /** Far more than people nest, far fewer than the descriptors a process has. */
    private static final int MAX_DEPTH = 100;

    /** Is shown what there is. The descriptor is closed afterwards. */
    public interface Visitor {
        void visit(Descriptor file, FileStatus status) throws PathException;
    }

    private final Directory top;
    private final Visitor visitor;
    private final Deque<List<byte[]>> tooDeep = new ArrayDeque<>();

    /** Names from the top to where the walk is. */
    private final List<byte[]> way = new ArrayList<>();

    private Walk(Directory top, Visitor visitor) {
        this.top = top;
        this.visitor = visitor;
    }

    /** Everything below, not the directory itself. */
    public static void below(Directory top, Visitor visitor) throws PathException, InterruptedException {
        Walk walk = new Walk(top, visitor);
        walk.inside(top, 0);
        for (List<byte[]> each = walk.tooDeep.poll(); each != null; each = walk.tooDeep.poll()) {
            walk.deep(each);
        }
    }

    private void deep(List<byte[]> names) throws PathException, InterruptedException {
        way.clear();
        way.addAll(names);
        try {
            Directory at = top.open(List.of());
            for (byte[] name : names) {
                try (Directory above = at) {
                    at = above.child(name, Reach.SAME_MOUNT);
                }
            }
            directory(at, 0);
        } catch (PathException e) {
            tolerate(e);
        }
    }

    private void inside(Directory directory, int depth) throws PathException, InterruptedException {
        Entries entries = directory.entries();
        for (List<byte[]> some = entries.nextBytes(); !some.isEmpty(); some = entries.nextBytes()) {
            for (byte[] name : some) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while walking through " + top.path());
                }
                way.add(name);
                one(directory, name, depth);
                way.remove(way.size() - 1);
            }
        }
    }

    private void one(Directory parent, byte[] name, int depth) throws PathException, InterruptedException {
        try (Reference found = parent.refer(name, Reach.SAME_MOUNT)) {
            FileStatus status = found.status();
            if (!status.isDirectory()) {
                visitor.visit(found, status);
            } else if (depth >= MAX_DEPTH) {
                tooDeep.add(List.copyOf(way));
            } else {
                directory(Directory.of(found), depth + 1);
            }
        } catch (PathException e) {
            tolerate(e);
        }
    }

    private void directory(Directory opened, int depth) throws PathException, InterruptedException {
        try (opened) {
            inside(opened, depth);
            visitor.visit(opened, opened.status());
        }
    }

    /** Somebody else removed it or put something else there; or it is another mount. */
    private static void tolerate(PathException e) throws PathException {
        if (!e.isMissing() && !e.isDiverted() && !e.isElsewhere()) {
            throw e;
        }
    }
}
