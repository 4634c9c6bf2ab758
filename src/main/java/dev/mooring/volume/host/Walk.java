package dev.mooring.volume.host;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.host.Sight.Answers;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reach;
import dev.mooring.volume.path.Reference;
import dev.mooring.volume.path.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * One way down from the root directory, name by name. Symbolic links are followed by reading them and going on from where they point to,
 * so it is known at each step where one really is. Before another mount is entered, the mount table says whether it can hang; it is read
 * only then, because it is long on a busy node. Used once, by one thread.
 */
final class Walk {
    /** The kernel's own limit. */
    private static final int MAX_LINKS = 40;

    private static final Path ROOT = Path.of("/");

    /** The way leads to where this process must not go. */
    static final class MayHangException extends Exception {
        private static final long serialVersionUID = 1L;

        MayHangException(Path at) {
            super(at.toString(), null, false, false);
        }
    }

    private enum Origin {
        ASKED_FOR,
        LINK
    }

    private record Step(String name, Origin origin) {}

    private final SystemCalls calls;
    private final Mounter mounter;
    private final Deque<Step> ahead = new ArrayDeque<>();
    private Path at = ROOT;
    private Reference here;
    private int links;
    private Path lastLink = ROOT;
    private MountTable table;

    Walk(SystemCalls calls, Mounter mounter, Path path) {
        this.calls = calls;
        this.mounter = mounter;
        for (Path name : path) {
            ahead.addLast(new Step(name.toString(), Origin.ASKED_FOR));
        }
    }

    Sight go() throws PathException, VolumeException, MayHangException {
        try {
            here = Reference.open(calls, ROOT);
            while (!ahead.isEmpty()) {
                Optional<Sight> end = take(ahead.removeFirst());
                if (end.isPresent()) {
                    return end.get();
                }
            }
            return Sight.of(FileKind.DIRECTORY, at, Answers.AT_ONCE);
        } finally {
            if (here != null) {
                here.close();
            }
        }
    }

    /** What the way ends with; nothing if it goes on. */
    private Optional<Sight> take(Step step) throws PathException, VolumeException, MayHangException {
        if (step.name().equals("..")) {
            enter(at.getParent() == null ? ROOT : at.getParent());
            return Optional.empty();
        }
        Path next = at.resolve(step.name());
        Reference found;
        try {
            found = here.child(step.name(), Reach.SAME_MOUNT);
        } catch (PathException e) {
            if (e.isElsewhere()) {
                return cross(next);
            }
            if (e.isMissing()) {
                return Optional.of(missing(step, next));
            }
            throw e;
        }
        return arrive(found, next);
    }

    private Optional<Sight> arrive(Reference found, Path path) throws PathException, VolumeException {
        boolean kept = false;
        try {
            FileStatus.Type type = found.status().type();
            if (type == FileStatus.Type.LINK) {
                return follow(found, path);
            }
            if (type != FileStatus.Type.DIRECTORY) {
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

    /** By its whole path, which holds no link and was found not to hang. */
    private void enter(Path path) throws PathException {
        Reference there = Reference.open(calls, path);
        here.close();
        here = there;
        at = path;
    }

    private Optional<Sight> cross(Path next) throws PathException, VolumeException, MayHangException {
        if (table == null) {
            table = mounter.table();
        }
        if (!table.isLocalAllTheWay(next)) {
            throw new MayHangException(next);
        }
        return arrive(here.child(next.getFileName().toString(), Reach.ANY_MOUNT), next);
    }

    private Optional<Sight> follow(Reference link, Path path) throws PathException {
        if (++links > MAX_LINKS) {
            return Optional.of(Sight.broken(path, "too many symbolic links one after another"));
        }
        String target = link.linkText();
        lastLink = path;
        String[] names = target.split("/", -1);
        for (int i = names.length - 1; i >= 0; i--) {
            if (!names[i].isEmpty() && !names[i].equals(".")) {
                ahead.addFirst(new Step(names[i], Origin.LINK));
            }
        }
        if (target.startsWith("/")) {
            enter(ROOT);
        }
        return Optional.empty();
    }

    private Sight special(Path path) throws VolumeException {
        FileKind kind;
        try {
            int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            kind = FileKind.ofMode(mode);
        } catch (IOException e) {
            throw VolumeException.clean("Unreadable", "cannot look at " + path + ": " + e.getMessage());
        }
        return ahead.isEmpty()
                ? Sight.of(kind, path, Answers.AT_ONCE)
                : Sight.broken(path, kind + " at " + path + ", through which no path leads");
    }

    private Sight missing(Step step, Path next) {
        if (step.origin() == Origin.LINK) {
            return Sight.broken(next, "a symbolic link, " + lastLink + ", to " + next + ", where nothing is");
        }
        Path whole = next;
        for (Step each : ahead) {
            whole = whole.resolve(each.name());
        }
        return Sight.of(FileKind.MISSING, whole, Answers.AT_ONCE);
    }
}
