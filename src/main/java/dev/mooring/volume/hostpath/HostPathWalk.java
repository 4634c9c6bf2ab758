package dev.mooring.volume.hostpath;

import dev.mooring.host.FileReference;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountScope;
import dev.mooring.host.MountTable;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.hostpath.ObservedPath.Responsiveness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Resolves a path from the root directory one name at a time. Reads symbolic links and continues from their target, so
 * the real path is known at each step. Before it enters another mount it consults the mount table whether the mount can
 * hang; the table is read only then, because it is long on a busy node. For one use by one thread.
 */
final class HostPathWalk {
    /** Same limit as the kernel. */
    private static final int MAX_LINKS = 40;

    private static final Path ROOT = Path.of("/");
    private static final Path DEVICES = Path.of("/dev");
    private static final int OTHERS_WRITE = 022;

    /** The path leads to a file system that may hang, which this process must not enter. */
    static final class MayHangException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient Path whole;

        MayHangException(Path whole) {
            super(whole.toString(), null, false, false);
            this.whole = whole;
        }

        /** Returns the whole path: the resolved part, followed by the unresolved rest. */
        Path whole() {
            return whole;
        }
    }

    private enum Origin {
        ASKED_FOR,
        LINK
    }

    private record PathStep(String name, Origin origin) {}

    private final SystemCalls calls;
    private final Mounter mounter;
    private final Optional<GuardedPathCheck> guard;
    private final Deque<PathStep> ahead = new ArrayDeque<>();
    private Path at = ROOT;
    private FileReference here;
    private int links;
    private Path lastLink = ROOT;
    private MountTable table;

    /**
     * Creates a walk.
     *
     * @param guard refuses links and devices that a Pod could have created; empty for no check
     */
    HostPathWalk(SystemCalls calls, Mounter mounter, Path path, Optional<GuardedPathCheck> guard) {
        this.calls = calls;
        this.mounter = mounter;
        this.guard = guard;
        for (Path name : path) {
            ahead.addLast(new PathStep(name.toString(), Origin.ASKED_FOR));
        }
    }

    ObservedPath resolve() throws PathException, VolumeException, MayHangException {
        try {
            here = FileReference.open(calls, ROOT);
            while (!ahead.isEmpty()) {
                Optional<ObservedPath> end = take(ahead.removeFirst());
                if (end.isPresent()) {
                    return end.get();
                }
            }
            return ObservedPath.of(FileKind.DIRECTORY, at, Responsiveness.IMMEDIATE);
        } finally {
            if (here != null) {
                here.close();
            }
        }
    }

    /** Processes one step; returns the result, or empty if the walk continues. */
    private Optional<ObservedPath> take(PathStep step) throws PathException, VolumeException, MayHangException {
        if (step.name().equals("..")) {
            enter(at.getParent() == null ? ROOT : at.getParent());
            return Optional.empty();
        }
        Path next = at.resolve(step.name());
        FileReference found;
        try {
            found = here.child(step.name(), MountScope.SAME_MOUNT);
        } catch (PathException e) {
            if (e.isOtherMount()) {
                return cross(next);
            }
            if (e.isMissing()) {
                return Optional.of(missing(step, next));
            }
            throw e;
        }
        return arrive(found, next);
    }

    private Optional<ObservedPath> arrive(FileReference found, Path path) throws PathException, VolumeException {
        boolean kept = false;
        try {
            FileStatus.FileType type = found.status().type();
            if (type == FileStatus.FileType.LINK) {
                return follow(found, path);
            }
            if (type != FileStatus.FileType.DIRECTORY) {
                return Optional.of(special(path));
            }
            here.close();
            here = found;
            at = path;
            kept = true;
            return Optional.empty();
        } finally {
            if (!kept) {
                found.close();
            }
        }
    }

    /** Enters a directory by its resolved path, which contains no link and was found not to hang. */
    private void enter(Path path) throws PathException {
        FileReference there = FileReference.open(calls, path);
        here.close();
        here = there;
        at = path;
    }

    private Optional<ObservedPath> cross(Path next) throws PathException, VolumeException, MayHangException {
        if (!table().isLocalPath(next)) {
            throw new MayHangException(whole(next));
        }
        return arrive(here.child(next.getFileName().toString(), MountScope.ANY_MOUNT), next);
    }

    private MountTable table() throws VolumeException {
        if (table == null) {
            table = mounter.table();
        }
        return table;
    }

    private Optional<ObservedPath> follow(FileReference link, Path path) throws PathException, VolumeException {
        if (guard.isPresent() && !isAdministratorOnly()) {
            throw HostPathInspector.linkRefused(
                    path, at.resolve(link.linkText()).normalize());
        }
        if (++links > MAX_LINKS) {
            return Optional.of(ObservedPath.broken(path, "too many levels of symbolic links"));
        }
        String target = link.linkText();
        lastLink = path;
        String[] names = target.split("/", -1);
        for (int i = names.length - 1; i >= 0; i--) {
            if (!names[i].isEmpty() && !names[i].equals(".")) {
                ahead.addFirst(new PathStep(names[i], Origin.LINK));
            }
        }
        if (target.startsWith("/")) {
            enter(ROOT);
        }
        return Optional.empty();
    }

    /**
     * Returns whether only an administrator can have created links here. The owner of the directory is no proof,
     * because containers that run as root own the files in their volumes.
     */
    private boolean isAdministratorOnly() throws PathException, VolumeException {
        FileStatus status = here.status();
        return status.uid() == 0
                && (status.permissions() & OTHERS_WRITE) == 0
                && (guard.get().isAboveGuarded(at) || isInDev(at));
    }

    private boolean isInDev(Path path) throws VolumeException {
        return path.startsWith(DEVICES) && table().isInDev(path);
    }

    private ObservedPath special(Path path) throws VolumeException {
        FileKind kind;
        try {
            int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            kind = FileKind.ofMode(mode);
        } catch (IOException e) {
            throw VolumeException.clean("Unreadable", "cannot inspect " + path + ": " + e.getMessage());
        }
        if (guard.isPresent() && kind.isDevice() && !isInDev(path)) {
            throw HostPathInspector.deviceRefused(path, kind);
        }
        return ahead.isEmpty()
                ? ObservedPath.of(kind, path, Responsiveness.IMMEDIATE)
                : ObservedPath.broken(path, kind + " at " + path + ", which is not a directory");
    }

    private ObservedPath missing(PathStep step, Path next) {
        if (step.origin() == Origin.LINK) {
            return ObservedPath.broken(next, "a symbolic link, " + lastLink + ", to missing " + next);
        }
        return ObservedPath.of(FileKind.MISSING, whole(next), Responsiveness.IMMEDIATE);
    }

    private Path whole(Path next) {
        Path whole = next;
        for (PathStep each : ahead) {
            whole = whole.resolve(each.name());
        }
        return whole;
    }
}
