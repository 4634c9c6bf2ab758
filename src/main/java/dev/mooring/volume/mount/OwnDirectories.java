package dev.mooring.volume.mount;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.Mounting;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The directories below Mooring's own root: reached name by name, through no link and into no other mount, so that whatever somebody has
 * put there cannot lead elsewhere. Makes and removes them; never deletes what is in one. Others may make and remove directories beside
 * at the same time. Any thread.
 */
final class OwnDirectories {
    private static final int PERMISSIONS = 0750;

    /** More than there are others at the same time: each may take away a directory that was empty a moment ago. */
    private static final int ROUNDS = 100;

    private final NodeLayout layout;
    private final SystemCalls calls;
    private final Mounting mounting;
    private final Tables tables;

    OwnDirectories(NodeLayout layout, SystemCalls calls, Mounting mounting, Tables tables) {
        this.layout = layout;
        this.calls = calls;
        this.mounting = mounting;
        this.tables = tables;
    }

    Path mustBeOwn(Path target) {
        if (!target.startsWith(layout.root())
                || target.equals(layout.root())
                || !target.normalize().equals(target)) {
            throw new IllegalArgumentException("Expected a path below " + layout.root() + ", but found " + target);
        }
        return target;
    }

    /** The directory that a path is in, which must be there. */
    Directory parent(Path target) throws VolumeException {
        try {
            return open(mustBeOwn(target).getParent());
        } catch (PathException e) {
            throw Failures.clean("reach " + target, e);
        }
    }

    /** The same; nothing if it is not there. */
    Optional<Directory> parentIfThere(Path target) throws VolumeException {
        try {
            return Optional.of(open(mustBeOwn(target).getParent()));
        } catch (PathException e) {
            if (e.isMissing()) {
                return Optional.empty();
            }
            throw Failures.uncertain("reach " + target, e);
        }
    }

    /** The first one below the root may be a mount: an administrator can give Pods a disk of their own. */
    private Directory open(Path directory) throws PathException {
        int fixed = Math.min(layout.root().getNameCount() + 1, directory.getNameCount());
        Directory at = Directory.open(calls, directory.getRoot().resolve(directory.subpath(0, fixed)));
        for (int i = fixed; i < directory.getNameCount(); i++) {
            try (Directory above = at) {
                at = above.open(directory.getName(i).toString());
            }
        }
        return at;
    }

    boolean isMountPoint(Directory parent, Path target) throws VolumeException {
        try {
            Optional<Boolean> known = mounting.isMountPoint(parent, name(target));
            return known.isPresent() ? known.get() : tables.read().isMountPoint(target);
        } catch (PathException e) {
            throw Failures.uncertain("find out whether something is mounted at " + target, e);
        }
    }

    void make(Path target) throws VolumeException {
        mustBeOwn(target);
        repeat("make " + target, () -> {
            try (Directory parent = openOrMake(target.getParent())) {
                makeLast(parent, name(target));
            }
        });
    }

    /** An empty file, for a file or device to be bound on. An empty directory that is there instead goes. */
    void makeFile(Path target) throws VolumeException {
        mustBeOwn(target);
        repeat("make " + target, () -> {
            try (Directory parent = openOrMake(target.getParent())) {
                if (!isThere(parent, target)) {
                    parent.createFile(name(target)).close();
                }
            }
        });
    }

    private boolean isThere(Directory parent, Path target) throws PathException, VolumeException {
        if (isMountPoint(parent, target)) {
            return true;
        }
        Optional<FileStatus> there = parent.status(name(target));
        if (there.filter(FileStatus::isDirectory).isPresent()) {
            parent.removeDirectory(name(target));
            return false;
        }
        return there.isPresent();
    }

    /** What may be cut off by somebody who removes an empty directory, and can be begun again. */
    private interface Making {
        void run() throws PathException, VolumeException;
    }

    private static void repeat(String doing, Making making) throws VolumeException {
        for (int round = 1; ; round++) {
            try {
                making.run();
                return;
            } catch (PathException e) {
                if (!e.isMissing() || round == ROUNDS) {
                    throw Failures.clean(doing, e);
                }
            }
        }
    }

    private Directory openOrMake(Path directory) throws PathException {
        try {
            return open(directory);
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
        Directory at = openOrMakeRoot(layout.root());
        for (Path name : layout.root().relativize(directory)) {
            if (!name.toString().isEmpty()) {
                try (Directory above = at) {
                    makeLast(above, name.toString());
                    at = open(directory, above, name.toString());
                }
            }
        }
        return at;
    }

    /** See {@link #open(Path)} for why the first is allowed to be a mount. */
    private Directory open(Path way, Directory above, String name) throws PathException {
        Path first = layout.root().resolve(name);
        boolean isFirst = above.path().equals(layout.root().toString()) && way.startsWith(first);
        return isFirst ? Directory.open(calls, first) : above.open(name);
    }

    /** Only its owner has business there, nor in what had to be made above it. */
    private Directory openOrMakeRoot(Path directory) throws PathException {
        try {
            return Directory.open(calls, directory);
        } catch (PathException e) {
            if (!e.isMissing() || directory.getParent() == null) {
                throw e;
            }
        }
        try (Directory parent = openOrMakeRoot(directory.getParent())) {
            makeUnlessThere(parent, name(directory));
            return parent.open(name(directory));
        }
    }

    /** What is mounted on it is not touched. */
    private static void makeLast(Directory parent, String name) throws PathException {
        boolean made = makeUnlessThere(parent, name);
        try (Directory directory = parent.open(name)) {
            if (made) {
                directory.setPermissions(PERMISSIONS);
            }
        } catch (PathException e) {
            if (!e.isElsewhere()) {
                throw e;
            }
        }
    }

    private static boolean makeUnlessThere(Directory parent, String name) throws PathException {
        try {
            parent.makeDirectory(name);
            return true;
        } catch (PathException e) {
            if (!e.isTaken()) {
                throw e;
            }
            return false;
        }
    }

    /** And those above that are then empty; what was begun before a crash is gone on with. */
    void remove(Path target) throws VolumeException {
        Optional<Directory> parent = parentIfThere(target);
        if (parent.isPresent()) {
            try (Directory opened = parent.get()) {
                remove(opened, target);
            } catch (PathException e) {
                throw Failures.uncertain("remove " + target, e);
            }
        }
        Path above = target.getParent();
        while (isRemovable(above) && removeIfEmpty(above)) {
            above = above.getParent();
        }
    }

    /** The Pod's own directory stays, and so do the ones directly below the root. */
    private boolean isRemovable(Path directory) {
        int kept = directory.startsWith(layout.pods()) ? 2 : 1;
        return directory.getNameCount() > layout.root().getNameCount() + kept;
    }

    private void remove(Directory parent, Path target) throws PathException, VolumeException {
        String name = name(target);
        if (isMountPoint(parent, target)) {
            throw VolumeException.uncertain(
                    "Mounted",
                    "Expected nothing to be mounted at " + target
                            + " any more, but something is: it was not removed, nothing was deleted",
                    "");
        }
        FileStatus status = parent.status(name).orElse(null);
        if (status == null) {
            return;
        }
        try {
            switch (status.type()) {
                case DIRECTORY -> parent.removeDirectory(name);
                case FILE -> removeEmptyFile(parent, target, status);
                default -> throw notOurs(target, status.type().toString());
            }
        } catch (PathException e) {
            if (e.isTaken()) {
                throw VolumeException.uncertain(
                        "NotEmpty",
                        "Expected " + target + " to be empty, but it is not: nothing was deleted. Look at what is in"
                                + " it, move it to where it belongs, and the directory will be removed",
                        e.getMessage());
            }
            if (!e.isMissing()) {
                throw e;
            }
        }
    }

    private static void removeEmptyFile(Directory parent, Path target, FileStatus status)
            throws PathException, VolumeException {
        if (status.size() > 0) {
            throw notOurs(target, "file of " + status.size() + " bytes");
        }
        parent.removeFile(name(target));
    }

    private static VolumeException notOurs(Path target, String found) {
        return VolumeException.uncertain(
                "NotEmpty",
                "Expected an empty directory or an empty file at " + target + ", but found a " + found
                        + ": nothing was deleted. Move it to where it belongs",
                "");
    }

    private boolean removeIfEmpty(Path directory) throws VolumeException {
        Optional<Directory> parent = parentIfThere(directory);
        if (parent.isEmpty()) {
            return true;
        }
        try (Directory opened = parent.get()) {
            opened.removeDirectory(name(directory));
            return true;
        } catch (PathException e) {
            // Not empty, or somebody has mounted something there: it is not ours to judge, and it can stay.
            return e.isMissing();
        }
    }

    static String name(Path target) {
        return target.getFileName().toString();
    }
}
