package dev.mooring.volume.subpath;

import dev.mooring.host.FileReference;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountScope;
import dev.mooring.host.PathException;
import dev.mooring.volume.subpath.SubPathException.SubPathStage;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Resolves a path in a volume while containers may change it concurrently. Each step opens one plain name in an open
 * directory. Links are read and resolved here, not by the kernel; ".." returns to the previously opened directory, and
 * never leads above the root. So no path and no race leads outside of the volume. Creates missing directories, but not
 * missing targets of links. For one use by one thread.
 */
final class SubPathResolver implements AutoCloseable {
    /** Same limit as Linux. */
    private static final int MAX_LINKS = 40;

    /** Bounds the retries if names are removed as fast as they are created. */
    private static final int MAX_CREATIONS = 1000;

    private record SubPathStep(String name, boolean ofLink) {}

    private final String rootPath;
    private final MountScope reach;
    private final int permissions;

    /** Open directories, starting with the root; the last one is the current position and may be a file. */
    private final Deque<FileReference> ancestors = new ArrayDeque<>();

    private final Deque<SubPathStep> pending = new ArrayDeque<>();
    private int links;
    private int creations;

    /**
     * Creates a resolver.
     *
     * @param root closed with this resolver
     * @param rootPath without links; the required prefix of absolute links
     * @param permissions of created directories
     */
    SubPathResolver(FileReference root, Path rootPath, MountScope reach, int permissions) {
        // The root directory is the empty string, which is a prefix of every absolute path.
        this.rootPath = rootPath.getNameCount() == 0 ? "" : rootPath.toString();
        this.reach = reach;
        this.permissions = permissions;
        ancestors.addLast(root);
    }

    /** Resolves a subPath. The result is never a link and stays open until this is closed. */
    FileReference resolve(String subPath) throws SubPathException, PathException {
        push(subPath, false);
        while (!pending.isEmpty()) {
            SubPathStep step = pending.removeFirst();
            if (step.name().equals("..")) {
                back(subPath);
            } else if (!step.name().isEmpty() && !step.name().equals(".")) {
                forward(step, subPath);
            }
        }
        return ancestors.getLast();
    }

    private void push(String path, boolean ofLink) {
        String[] names = path.split("/", -1);
        for (int i = names.length - 1; i >= 0; i--) {
            pending.addFirst(new SubPathStep(names[i], ofLink));
        }
    }

    private void back(String subPath) throws SubPathException {
        if (ancestors.size() == 1) {
            throw outside(subPath, "a symbolic link in the path leads above its root");
        }
        ancestors.removeLast().close();
    }

    private void forward(SubPathStep step, String subPath) throws SubPathException, PathException {
        FileReference next;
        try {
            next = ancestors.getLast().child(step.name(), reach);
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
            make(step, subPath);
            // Look up the created name again: another process may have created it.
            pending.addFirst(step);
            return;
        }
        FileStatus.FileType type;
        try {
            type = next.status().type();
        } catch (PathException e) {
            next.close();
            throw e;
        }
        if (type == FileStatus.FileType.LINK) {
            try (next) {
                followLink(step, next.linkText(), subPath);
            }
        } else {
            ancestors.addLast(next);
        }
    }

    private void followLink(SubPathStep step, String text, String subPath) throws SubPathException {
        links++;
        if (links > MAX_LINKS) {
            throw new SubPathException(
                    SubPathStage.PREPARING,
                    "TooManyLinks",
                    "subPath \"" + subPath + "\" contains more than " + MAX_LINKS + " symbolic links");
        }
        String rest = text;
        if (text.startsWith("/")) {
            if (!text.equals(rootPath) && !text.startsWith(rootPath + "/")) {
                throw outside(subPath, "\"" + step.name() + "\" is a symbolic link to " + text);
            }
            while (ancestors.size() > 1) {
                ancestors.removeLast().close();
            }
            rest = text.substring(rootPath.length());
        }
        push(rest, true);
    }

    /** Creates a directory; another process may create it concurrently. */
    private void make(SubPathStep step, String subPath) throws SubPathException {
        if (step.ofLink()) {
            throw new SubPathException(
                    SubPathStage.CREATING,
                    "NotFound",
                    "subPath \"" + subPath + "\" contains a symbolic link whose target does not exist (\"" + step.name()
                            + "\")");
        }
        creations++;
        if (creations > MAX_CREATIONS) {
            throw new SubPathException(
                    SubPathStage.CREATING,
                    "Removed",
                    "\"" + step.name() + "\" of subPath \"" + subPath + "\" is removed as soon as it is created");
        }
        FileReference parent = ancestors.getLast();
        try {
            parent.makeDirectory(step.name(), permissions);
        } catch (PathException e) {
            if (!e.isExisting()) {
                throw SubPathException.of(SubPathStage.CREATING, e);
            }
            return;
        }
        try (FileReference made = parent.child(step.name(), MountScope.SAME_MOUNT)) {
            FileStatus status = made.status();
            if (status.isDirectory() && status.permissions() != permissions) {
                made.setPermissions(permissions);
            }
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw SubPathException.of(SubPathStage.CREATING, e);
            }
        }
    }

    private static SubPathException outside(String subPath, String why) {
        return new SubPathException(
                SubPathStage.PREPARING,
                "OutsideVolume",
                "subPath \"" + subPath + "\" is outside of the volume: " + why);
    }

    @Override
    public void close() {
        while (!ancestors.isEmpty()) {
            ancestors.removeLast().close();
        }
    }
}
