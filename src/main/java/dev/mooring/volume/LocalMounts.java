package dev.mooring.volume;

import dev.mooring.host.Descriptor;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountSystemCalls;
import dev.mooring.host.MountSystemCalls.UnmountResult;
import dev.mooring.host.MountTable;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.PathHandle;
import dev.mooring.volume.BindSettings.Restriction;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Bind mounts and tmpfs mounts with system calls. Source and target are descriptors, and the result is verified with
 * the kernel. A wrong result is undone, so that a failure leaves nothing behind; in particular, never a writable mount
 * that should be read-only. Only for file systems that do not hang. Thread-safe for different targets.
 */
final class LocalMounts {
    /** File systems whose data is lost on unmount. */
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

    private final NodeRootDirectories directories;
    private final MountSystemCalls mounting;
    private final MountTableReader tables;

    LocalMounts(NodeRootDirectories directories, MountSystemCalls mounting, MountTableReader tables) {
        this.directories = directories;
        this.mounting = mounting;
        this.tables = tables;
    }

    void bind(Descriptor source, Path target, BindSettings asked) throws VolumeException {
        FileStatus wanted;
        BindSettings settings = asked;
        try {
            wanted = source.status();
            if (mounting.isReadOnly(source)) {
                settings = new BindSettings(Access.READ_ONLY, asked.depth(), asked.restrictions());
            }
        } catch (PathException e) {
            throw MountFailures.clean("inspect the source of the bind mount", e);
        }
        if (wanted.isDirectory()) {
            directories.make(target);
        } else {
            directories.makeFile(target);
        }
        try (OpenDirectory parent = directories.parent(target)) {
            if (directories.isMountPoint(parent, target)) {
                if (isRight(parent, target, wanted, settings)) {
                    return;
                }
                removeWrongMount(parent, target, wanted, settings);
            }
            bind(source, parent, target, settings);
        }
    }

    private void bind(Descriptor source, OpenDirectory parent, Path target, BindSettings settings)
            throws VolumeException {
        String doing = "bind " + source.path() + " at " + target;
        String name = NodeRootDirectories.name(target);
        try (PathHandle mountPoint = PathHandle.openUnmounted(parent, name)) {
            mounting.bind(source, mountPoint, settings.isRecursive());
        } catch (PathException e) {
            throw MountFailures.clean(doing, e);
        }
        VolumeException problem;
        try {
            finish(source.status(), parent, target, settings);
            return;
        } catch (PathException e) {
            problem = MountFailures.clean(doing, e);
        } catch (VolumeException e) {
            problem = e;
        }
        undo(parent, target);
        throw problem;
    }

    /** Applies and verifies the settings. Failures report a clean state, because the caller undoes the mount. */
    private void finish(FileStatus source, OpenDirectory parent, Path target, BindSettings settings)
            throws PathException, VolumeException {
        if (!directories.isMountPoint(parent, target)) {
            throw VolumeException.clean("NotMounted", "No mount at " + target + " after mounting it");
        }
        try (PathHandle seen = PathHandle.openVisible(parent, NodeRootDirectories.name(target))) {
            if (!isSame(seen.status(), source)) {
                throw new VolumeException(
                        FailureState.CLEAN,
                        "WrongMount",
                        target + " does not show the file that was bound there: check whether another process mounts"
                                + " there",
                        seen.status() + " is not " + source);
            }
            if (settings.isRecursive()) {
                mounting.makeSlave(seen);
            } else {
                mounting.makePrivate(seen);
            }
            boolean readOnly = settings.access() == Access.READ_ONLY;
            boolean noSetId = settings.restrictions().contains(Restriction.NO_SET_ID);
            boolean noDevices = settings.restrictions().contains(Restriction.NO_DEVICES);
            if (readOnly || noSetId || noDevices) {
                mounting.restrict(seen, readOnly, noSetId, noDevices);
            }
            if (mounting.isReadOnly(seen) != readOnly) {
                throw VolumeException.clean(
                        "WrongAccess",
                        target + " is not " + (readOnly ? "read-only" : "writable") + " after binding it");
            }
            if (!areInForce(settings.restrictions(), seen)) {
                throw VolumeException.clean(
                        "WrongOptions", target + " is not mounted with nosuid and nodev after binding it");
            }
        }
    }

    private boolean areInForce(Set<Restriction> restrictions, Descriptor mounted) throws PathException {
        return (!restrictions.contains(Restriction.NO_SET_ID) || mounting.ignoresSetId(mounted))
                && (!restrictions.contains(Restriction.NO_DEVICES) || mounting.refusesDevices(mounted));
    }

    /**
     * Lazily unmounts a bind mount with all mounts below it. These may be on a server, and are mounted elsewhere as
     * well.
     */
    void detach(Path target) throws VolumeException {
        Optional<OpenDirectory> parent = directories.parentIfThere(target);
        if (parent.isPresent()) {
            try (OpenDirectory opened = parent.get()) {
                undo(opened, target);
            }
        }
    }

    /** Lazily unmounts a bind mount; no data can be lost, because the file system is mounted elsewhere. */
    private void undo(OpenDirectory parent, Path target) throws VolumeException {
        try {
            if (directories.isMountPoint(parent, target)) {
                mounting.detachBind(parent, NodeRootDirectories.name(target));
            }
        } catch (PathException e) {
            throw MountFailures.uncertain("detach the mount at " + target, e);
        }
    }

    private static boolean isSame(FileStatus one, FileStatus other) {
        return one.location().major() == other.location().major()
                && one.location().minor() == other.location().minor()
                && one.location().inode() == other.location().inode();
    }

    /**
     * Returns whether the existing mount is correct. Consults the mount table first, because the mount may be on a
     * server that hangs.
     */
    private boolean isRight(OpenDirectory parent, Path target, FileStatus wanted, BindSettings settings)
            throws VolumeException {
        MountTable.Mount top = tables.read().at(target).orElse(null);
        if (top == null || !top.isLocal()) {
            return false;
        }
        try (PathHandle seen = PathHandle.openVisible(parent, NodeRootDirectories.name(target))) {
            return isSame(seen.status(), wanted)
                    && mounting.isReadOnly(seen) == (settings.access() == Access.READ_ONLY)
                    && areInForce(settings.restrictions(), seen);
        } catch (PathException e) {
            throw MountFailures.uncertain("inspect the mount at " + target, e);
        }
    }

    /** Removes a mount that a crash or an older version of the volume left, unless its data would be lost. */
    private void removeWrongMount(OpenDirectory parent, Path target, FileStatus wanted, BindSettings settings)
            throws VolumeException {
        for (MountTable.Mount each : tables.read().allAt(target)) {
            boolean holdsOnlyCopy = IN_MEMORY.contains(each.type())
                    && each.root().equals("/")
                    && !each.device()
                            .equals(wanted.location().major() + ":"
                                    + wanted.location().minor());
            if (!each.isLocal() || holdsOnlyCopy) {
                throw otherIsMounted(target, each);
            }
        }
        if (settings.isRecursive() && !tables.read().below(target).isEmpty()) {
            undo(parent, target);
        }
        unmountAll(parent, target);
    }

    static VolumeException otherIsMounted(Path target, MountTable.Mount mount) {
        return VolumeException.uncertain(
                "WrongMount",
                "Another file system is mounted at " + target + ": " + mount.type() + " from " + mount.source()
                        + "; it was not changed; find out what it is for, and unmount it",
                mount.toString());
    }

    private void unmountAll(OpenDirectory parent, Path target) throws VolumeException {
        for (int i = 0; i < Unmounter.MAX_STACK && directories.isMountPoint(parent, target); i++) {
            unmountOne(parent, target);
        }
    }

    /** Unmounts the topmost mount at the target. */
    void unmountOne(Path target) throws VolumeException {
        Optional<OpenDirectory> parent = directories.parentIfThere(target);
        if (parent.isEmpty()) {
            throw VolumeException.uncertain(
                    "NotFound",
                    "The mount table contains " + target + ", but there is no such directory: another mount may hide"
                            + " it; see " + target + " in /proc/self/mountinfo",
                    "");
        }
        try (OpenDirectory opened = parent.get()) {
            unmountOne(opened, target);
        }
    }

    private void unmountOne(OpenDirectory parent, Path target) throws VolumeException {
        try {
            if (mounting.unmount(parent, NodeRootDirectories.name(target)) == UnmountResult.IN_USE) {
                throw VolumeException.uncertain(
                        "Busy",
                        "Cannot unmount " + target + ": it is in use by a process, or something is mounted below"
                                + " it (see fuser -vm " + target + "); retrying; nothing is deleted until it is"
                                + " unmounted",
                        "umount2 " + target + ": EBUSY");
            }
        } catch (PathException e) {
            throw MountFailures.uncertain("unmount " + target, e);
        }
    }

    void mountTmpfs(Path target, TmpfsOptions size) throws VolumeException {
        directories.make(target);
        try (OpenDirectory parent = directories.parent(target)) {
            if (directories.isMountPoint(parent, target)) {
                requireTmpfs(target);
                return;
            }
            try (PathHandle mountPoint = PathHandle.openUnmounted(parent, NodeRootDirectories.name(target))) {
                mounting.mountTmpfs(mountPoint, options(size));
            } catch (PathException e) {
                throw MountFailures.clean("mount a tmpfs at " + target, e);
            }
        }
    }

    /**
     * Requires that nothing but a tmpfs is mounted at the target. An existing tmpfs is kept, because it may hold data.
     */
    private void requireTmpfs(Path target) throws VolumeException {
        MountTable.Mount top = tables.read().at(target).orElse(null);
        if (top != null && !top.type().equals("tmpfs")) {
            throw otherIsMounted(target, top);
        }
    }

    private static String options(TmpfsOptions size) {
        String mode = "mode=" + Integer.toOctalString(size.permissions());
        return size.bytes() == 0 ? mode : mode + ",size=" + size.bytes();
    }
}
