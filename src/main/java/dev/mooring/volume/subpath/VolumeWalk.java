package dev.mooring.volume.subpath;

import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reach;
import dev.mooring.volume.path.Reference;
import dev.mooring.volume.subpath.SubPathException.Stage;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Goes from the root of a volume to a file in it while others change what is on the way. Each step opens one plain name in a directory that
 * is open already; links are not followed by the kernel but read, and gone like a way of names; to go up is to go back to the directory
 * one came from, and above the root there is nothing. So there are no words, and no moment, that lead out. What is missing is made, but
 * not what a link only speaks of. For one way; one thread.
 */
final class VolumeWalk implements AutoCloseable {
    /** As many as Linux follows. */
    private static final int MAX_LINKS = 40;

    /** For names that others remove as fast as they are made. */
    private static final int MAX_MAKINGS = 1000;

    private record Step(String name, boolean ofLink) {}

    private final String rootPath;
    private final Reach reach;
    private final int permissions;

    /** Open directories, the root first; at the end where we are, which may be a file. */
    private final Deque<Reference> way = new ArrayDeque<>();

    private final Deque<Step> ahead = new ArrayDeque<>();
    private int links;
    private int makings;

    /**
     * @param root will be closed with this
     * @param rootPath without links; what an absolute link must begin with
     * @param permissions of what is made
     */
    VolumeWalk(Reference root, Path rootPath, Reach reach, int permissions) {
        // Of "/" nothing is left, so that every absolute path begins with it.
        this.rootPath = rootPath.getNameCount() == 0 ? "" : rootPath.toString();
        this.reach = reach;
        this.permissions = permissions;
        way.addLast(root);
    }

    /** Stays open until this is closed. Is never a link. */
    Reference to(String subPath) throws SubPathException, PathException {
        push(subPath, false);
        while (!ahead.isEmpty()) {
            Step step = ahead.removeFirst();
            if (step.name().equals("..")) {
                back(subPath);
            } else if (!step.name().isEmpty() && !step.name().equals(".")) {
                forward(step, subPath);
            }
        }
        return way.getLast();
    }

    private void push(String words, boolean ofLink) {
        String[] names = words.split("/", -1);
        for (int i = names.length - 1; i >= 0; i--) {
            ahead.addFirst(new Step(names[i], ofLink));
        }
    }

    private void back(String subPath) throws SubPathException {
        if (way.size() == 1) {
            throw outside(subPath, "a symbolic link on the way goes up from there");
        }
        way.removeLast().close();
    }

    private void forward(Step step, String subPath) throws SubPathException, PathException {
        Reference next;
        try {
            next = way.getLast().child(step.name(), reach);
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
            make(step, subPath);
            // What is there now is looked at as if it had always been: it may be another's.
            ahead.addFirst(step);
            return;
        }
        FileStatus.Type type;
        try {
            type = next.status().type();
        } catch (PathException e) {
            next.close();
            throw e;
        }
        if (type == FileStatus.Type.LINK) {
            try (next) {
                follow(step, next.linkText(), subPath);
            }
        } else {
            way.addLast(next);
        }
    }

    private void follow(Step step, String text, String subPath) throws SubPathException {
        links++;
        if (links > MAX_LINKS) {
            throw new SubPathException(
                    Stage.PREPARING,
                    "TooManyLinks",
                    "subPath \"" + subPath + "\" leads over more than " + MAX_LINKS + " symbolic links");
        }
        String rest = text;
        if (text.startsWith("/")) {
            if (!text.equals(rootPath) && !text.startsWith(rootPath + "/")) {
                throw outside(subPath, "\"" + step.name() + "\" is a symbolic link to " + text);
            }
            while (way.size() > 1) {
                way.removeLast().close();
            }
            rest = text.substring(rootPath.length());
        }
        push(rest, true);
    }

    /** Others may make the same at the same moment. */
    private void make(Step step, String subPath) throws SubPathException {
        if (step.ofLink()) {
            throw new SubPathException(
                    Stage.CREATING,
                    "NotFound",
                    "subPath \"" + subPath + "\" leads over a symbolic link to something that is not there (\""
                            + step.name() + "\")");
        }
        makings++;
        if (makings > MAX_MAKINGS) {
            throw new SubPathException(
                    Stage.CREATING,
                    "Removed",
                    "\"" + step.name() + "\" of subPath \"" + subPath + "\" is removed whenever it is made");
        }
        Reference parent = way.getLast();
        try {
            parent.makeDirectory(step.name(), permissions);
        } catch (PathException e) {
            if (!e.isTaken()) {
                throw SubPathException.of(Stage.CREATING, e);
            }
            return;
        }
        try (Reference made = parent.child(step.name(), Reach.SAME_MOUNT)) {
            FileStatus status = made.status();
            if (status.isDirectory() && status.permissions() != permissions) {
                made.setPermissions(permissions);
            }
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw SubPathException.of(Stage.CREATING, e);
            }
        }
    }

    private static SubPathException outside(String subPath, String why) {
        return new SubPathException(
                Stage.PREPARING, "OutsideVolume", "subPath \"" + subPath + "\" is outside of the volume: " + why);
    }

    @Override
    public void close() {
        while (!way.isEmpty()) {
            way.removeLast().close();
        }
    }
}
