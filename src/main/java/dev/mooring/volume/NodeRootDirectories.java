package dev.mooring.volume;

import dev.mooring.host.FileStatus;
import dev.mooring.host.MountSystemCalls;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Directories below Mooring's root. They are opened one name at a time, without following links or entering other
 * mounts, so that manipulated entries cannot redirect it. Creates and removes directories, but never deletes their
 * content. Other processes may create and remove sibling directories concurrently. Thread-safe.
 */
final class NodeRootDirectories {
    private static final int PERMISSIONS = 0750;

    /** Maximum number of retries; each concurrent removal of an empty parent directory can cause one. */
    private static final int ROUNDS = 100;

    private final NodeLayout layout;
    private final SystemCalls calls;
    private final MountSystemCalls mounting;
    private final MountTableReader tables;

    NodeRootDirectories(NodeLayout layout, SystemCalls calls, MountSystemCalls mounting, MountTableReader tables) {
        this.layout = layout;
        this.calls = calls;
        this.mounting = mounting;
        this.tables = tables;
    }

    Path requireBelowRoot(Path target) {
        if (!target.startsWith(layout.root())
                || target.equals(layout.root())
                || !target.normalize().equals(target)) {
            throw new IllegalArgumentException("target must be below " + layout.root() + ", got " + target);
        }
        return target;
    }

    /** Opens the parent directory of a path, which must exist. */
    OpenDirectory parent(Path target) throws VolumeException {
        try {
            return open(requireBelowRoot(target).getParent());
        } catch (PathException e) {
            throw MountFailures.clean("reach " + target, e);
        }
    }

    /** Opens the parent directory of a path; empty if it does not exist. */
    Optional<OpenDirectory> parentIfThere(Path target) throws VolumeException {
        try {
            return Optional.of(open(requireBelowRoot(target).getParent()));
        } catch (PathException e) {
            if (e.isMissing()) {
                return Optional.empty();
            }
            throw MountFailures.uncertain("reach " + target, e);
        }
    }

    /**
     * Opens a directory. The first level below the root may be a mount point: an administrator can use a separate disk
     * for Pods.
     */
    private OpenDirectory open(Path directory) throws PathException {
        int fixed = Math.min(layout.root().getNameCount() + 1, directory.getNameCount());
        OpenDirectory at = OpenDirectory.open(calls, directory.getRoot().resolve(directory.subpath(0, fixed)));
        for (int i = fixed; i < directory.getNameCount(); i++) {
            try (OpenDirectory above = at) {
                at = above.open(directory.getName(i).toString());
            }
        }
        return at;
    }

    boolean isMountPoint(OpenDirectory parent, Path target) throws VolumeException {
        try {
            Optional<Boolean> known = mounting.isMountPoint(parent, name(target));
            return known.isPresent() ? known.get() : tables.read().isMountPoint(target);
        } catch (PathException e) {
            throw MountFailures.uncertain("check whether something is mounted at " + target, e);
        }
    }

    void make(Path target) throws VolumeException {
        requireBelowRoot(target);
        repeat("create " + target, () -> {
            try (OpenDirectory parent = openOrMake(target.getParent())) {
                makeLast(parent, name(target));
            }
        });
    }

    /** Creates an empty file as mount point of a file or device, replacing an empty directory. */
    void makeFile(Path target) throws VolumeException {
        requireBelowRoot(target);
        repeat("create " + target, () -> {
            try (OpenDirectory parent = openOrMake(target.getParent())) {
                if (!isThere(parent, target)) {
                    parent.createFile(name(target)).close();
                }
            }
        });
    }

    private boolean isThere(OpenDirectory parent, Path target) throws PathException, VolumeException {
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

    /** An action that is retried if another thread removes one of its parent directories. */
    private interface RetriedAction {
        void run() throws PathException, VolumeException;
    }

    private static void repeat(String doing, RetriedAction action) throws VolumeException {
        for (int round = 1; ; round++) {
            try {
                action.run();
                return;
            } catch (PathException e) {
                if (!e.isMissing() || round == ROUNDS) {
                    throw MountFailures.clean(doing, e);
                }
            }
        }
    }

    private OpenDirectory openOrMake(Path directory) throws PathException {
        try {
            return open(directory);
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
        OpenDirectory at = openOrMakeRoot(layout.root());
        for (Path name : layout.root().relativize(directory)) {
            if (!name.toString().isEmpty()) {
                try (OpenDirectory above = at) {
                    makeLast(above, name.toString());
                    at = open(directory, above, name.toString());
                }
            }
        }
        return at;
    }

    /** Opens one name; see {@link #open(Path)} for why the first level may be a mount point. */
    private OpenDirectory open(Path way, OpenDirectory above, String name) throws PathException {
        Path first = layout.root().resolve(name);
        boolean isFirst = above.path().equals(layout.root().toString()) && way.startsWith(first);
        return isFirst ? OpenDirectory.open(calls, first) : above.open(name);
    }

    /** Opens the root, creating it and its parents with access for the owner only. */
    private OpenDirectory openOrMakeRoot(Path directory) throws PathException {
        try {
            return OpenDirectory.open(calls, directory);
        } catch (PathException e) {
            if (!e.isMissing() || directory.getParent() == null) {
                throw e;
            }
        }
        try (OpenDirectory parent = openOrMakeRoot(directory.getParent())) {
            makeUnlessThere(parent, name(directory));
            return parent.open(name(directory));
        }
    }

    /** Creates the last directory, without accessing a file system mounted on it. */
    private static void makeLast(OpenDirectory parent, String name) throws PathException {
        boolean made = makeUnlessThere(parent, name);
        try (OpenDirectory directory = parent.open(name)) {
            if (made) {
                directory.setPermissions(PERMISSIONS);
            }
        } catch (PathException e) {
            if (!e.isOtherMount()) {
                throw e;
            }
        }
    }

    private static boolean makeUnlessThere(OpenDirectory parent, String name) throws PathException {
        try {
            parent.makeDirectory(name);
            return true;
        } catch (PathException e) {
            if (!e.isExisting()) {
                throw e;
            }
            return false;
        }
    }

    /** Removes the directory and parents that become empty; completes an interrupted removal. */
    void remove(Path target) throws VolumeException {
        Optional<OpenDirectory> parent = parentIfThere(target);
        if (parent.isPresent()) {
            try (OpenDirectory opened = parent.get()) {
                remove(opened, target);
            } catch (PathException e) {
                throw MountFailures.uncertain("remove " + target, e);
            }
        }
        Path above = target.getParent();
        while (isRemovable(above) && removeIfEmpty(above)) {
            above = above.getParent();
        }
    }

    /** Returns whether the directory may be removed: not the Pod's directory, nor those directly below the root. */
    private boolean isRemovable(Path directory) {
        int kept = directory.startsWith(layout.pods()) ? 2 : 1;
        return directory.getNameCount() > layout.root().getNameCount() + kept;
    }

    private void remove(OpenDirectory parent, Path target) throws PathException, VolumeException {
        String name = name(target);
        if (isMountPoint(parent, target)) {
            throw VolumeException.uncertain(
                    "Mounted",
                    "Cannot remove " + target + ": something is still mounted there; nothing was deleted",
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
                default -> throw foreignContent(target, status.type().toString());
            }
        } catch (PathException e) {
            if (e.isExisting()) {
                throw VolumeException.uncertain(
                        "NotEmpty",
                        "Cannot remove " + target + ": it is not empty; nothing was deleted. Move its content away,"
                                + " then the directory is removed",
                        e.getMessage());
            }
            if (!e.isMissing()) {
                throw e;
            }
        }
    }

    private static void removeEmptyFile(OpenDirectory parent, Path target, FileStatus status)
            throws PathException, VolumeException {
        if (status.size() > 0) {
            throw foreignContent(target, "file of " + status.size() + " bytes");
        }
        parent.removeFile(name(target));
    }

    private static VolumeException foreignContent(Path target, String found) {
        return VolumeException.uncertain(
                "NotEmpty",
                target + " must be an empty directory or an empty file, found a " + found
                        + "; nothing was deleted. Move it away",
                "");
    }

    private boolean removeIfEmpty(Path directory) throws VolumeException {
        Optional<OpenDirectory> parent = parentIfThere(directory);
        if (parent.isEmpty()) {
            return true;
        }
        try (OpenDirectory opened = parent.get()) {
            opened.removeDirectory(name(directory));
            return true;
        } catch (PathException e) {
            // Not empty or in use as a mount point; it can stay.
            return e.isMissing();
        }
    }

    static String name(Path target) {
        return target.getFileName().toString();
    }
}
