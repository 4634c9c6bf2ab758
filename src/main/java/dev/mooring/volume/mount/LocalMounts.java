package dev.mooring.volume.mount;

import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.Held;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.Mounting;
import dev.mooring.volume.path.Mounting.Unmounted;
import dev.mooring.volume.path.PathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Bind mounts and file systems in memory, by system calls: source and target are descriptors, and afterwards the kernel is asked whether
 * the right thing is there. What is not right is undone, so that a failure leaves nothing; above all never something writable that was
 * to be read-only. Only for file systems that answer. Any thread, one at a time per target.
 */
final class LocalMounts {
    /** What is only in memory is lost when it is unmounted. */
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

    private final OwnDirectories directories;
    private final Mounting mounting;
    private final Tables tables;

    LocalMounts(OwnDirectories directories, Mounting mounting, Tables tables) {
        this.directories = directories;
        this.mounting = mounting;
        this.tables = tables;
    }

    void bind(Descriptor source, Path target, Access access) throws VolumeException {
        FileStatus wanted;
        boolean readOnly;
        try {
            wanted = source.status();
            readOnly = access == Access.READ_ONLY || mounting.isReadOnly(source);
        } catch (PathException e) {
            throw Failures.clean("find out what is to be bound", e);
        }
        if (wanted.isDirectory()) {
            directories.make(target);
        } else {
            directories.makeFile(target);
        }
        try (Directory parent = directories.parent(target)) {
            if (directories.isMountPoint(parent, target)) {
                if (isRight(parent, target, wanted, readOnly)) {
                    return;
                }
                takeAway(parent, target, wanted);
            }
            bind(source, parent, target, readOnly);
        }
    }

    private void bind(Descriptor source, Directory parent, Path target, boolean readOnly) throws VolumeException {
        String doing = "bind " + source.path() + " at " + target;
        String name = OwnDirectories.name(target);
        try (Held spot = Held.spot(parent, name)) {
            mounting.bind(source, spot);
        } catch (PathException e) {
            throw Failures.clean(doing, e);
        }
        VolumeException problem;
        try {
            finish(source.status(), parent, target, readOnly);
            return;
        } catch (PathException e) {
            problem = Failures.clean(doing, e);
        } catch (VolumeException e) {
            problem = e;
        }
        undo(parent, target);
        throw problem;
    }

    /** Its failures say that nothing is left, because the caller undoes it. */
    private void finish(FileStatus source, Directory parent, Path target, boolean readOnly)
            throws PathException, VolumeException {
        if (!directories.isMountPoint(parent, target)) {
            throw VolumeException.clean(
                    "NotMounted", "Expected a mount at " + target + " after making it, but there is none");
        }
        try (Held seen = Held.seen(parent, OwnDirectories.name(target))) {
            if (!isSame(seen.status(), source)) {
                throw new VolumeException(
                        Left.NOTHING,
                        "WrongMount",
                        "Expected what was bound at " + target + " to be seen there, but it is something else:"
                                + " does somebody else mount there?",
                        seen.status() + " is not " + source);
            }
            mounting.makePrivate(seen);
            if (readOnly) {
                mounting.makeReadOnly(seen);
            }
            if (mounting.isReadOnly(seen) != readOnly) {
                throw VolumeException.clean(
                        "WrongAccess",
                        "Expected " + target + " to be " + (readOnly ? "read-only" : "writable")
                                + " after binding it, but it is not");
            }
        }
    }

    /** Lazily: it is a second view of something, so nothing written can be lost by that. */
    private void undo(Directory parent, Path target) throws VolumeException {
        try {
            if (directories.isMountPoint(parent, target)) {
                mounting.detachBind(parent, OwnDirectories.name(target));
            }
        } catch (PathException e) {
            throw Failures.uncertain("undo the failed mount at " + target, e);
        }
    }

    private static boolean isSame(FileStatus one, FileStatus other) {
        return one.place().major() == other.place().major()
                && one.place().minor() == other.place().minor()
                && one.place().inode() == other.place().inode();
    }

    /** What is there already may be on a server, so the table is asked before it is touched. */
    private boolean isRight(Directory parent, Path target, FileStatus wanted, boolean readOnly) throws VolumeException {
        MountTable.Mount top = tables.read().at(target).orElse(null);
        if (top == null || !top.isLocal()) {
            return false;
        }
        try (Held seen = Held.seen(parent, OwnDirectories.name(target))) {
            return isSame(seen.status(), wanted) && mounting.isReadOnly(seen) == readOnly;
        } catch (PathException e) {
            throw Failures.uncertain("find out what is mounted at " + target, e);
        }
    }

    /** What a crash, or an older version of the volume, has left there. Nothing whose data would be lost. */
    private void takeAway(Directory parent, Path target, FileStatus wanted) throws VolumeException {
        for (MountTable.Mount each : tables.read().allAt(target)) {
            boolean holdsOnlyCopy = IN_MEMORY.contains(each.type())
                    && each.root().equals("/")
                    && !each.device()
                            .equals(wanted.place().major() + ":"
                                    + wanted.place().minor());
            if (!each.isLocal() || holdsOnlyCopy) {
                throw otherIsMounted(target, each);
            }
        }
        unmountAll(parent, target);
    }

    static VolumeException otherIsMounted(Path target, MountTable.Mount mount) {
        return VolumeException.uncertain(
                "WrongMount",
                "Expected nothing to be mounted at " + target + ", but " + mount.type() + " from " + mount.source()
                        + " is: it is left as it is; see whose it is, and unmount it",
                mount.toString());
    }

    private void unmountAll(Directory parent, Path target) throws VolumeException {
        for (int i = 0; i < Unmounts.MAX_STACK && directories.isMountPoint(parent, target); i++) {
            unmountOne(parent, target);
        }
    }

    /** The topmost one there. */
    void unmountOne(Path target) throws VolumeException {
        Optional<Directory> parent = directories.parentIfThere(target);
        if (parent.isEmpty()) {
            throw VolumeException.uncertain(
                    "NotFound",
                    "Expected to reach " + target + ", where the mount table has something, but there is no such"
                            + " directory: is another mount over it? See " + target + " in /proc/self/mountinfo",
                    "");
        }
        try (Directory opened = parent.get()) {
            unmountOne(opened, target);
        }
    }

    private void unmountOne(Directory parent, Path target) throws VolumeException {
        try {
            if (mounting.unmount(parent, OwnDirectories.name(target)) == Unmounted.IN_USE) {
                throw VolumeException.uncertain(
                        "Busy",
                        "Expected to unmount " + target + ", but it is in use: a process works in it, or something is"
                                + " mounted below it (fuser -vm " + target + " tells who). It is tried again, and"
                                + " nothing is deleted until it has worked",
                        "umount2 " + target + ": EBUSY");
            }
        } catch (PathException e) {
            throw Failures.uncertain("unmount " + target, e);
        }
    }

    void memory(Path target, MemorySize size) throws VolumeException {
        directories.make(target);
        try (Directory parent = directories.parent(target)) {
            if (directories.isMountPoint(parent, target)) {
                mustBeMemory(target);
                return;
            }
            try (Held spot = Held.spot(parent, OwnDirectories.name(target))) {
                mounting.memory(spot, options(size));
            } catch (PathException e) {
                throw Failures.clean("mount a tmpfs at " + target, e);
            }
        }
    }

    /** One that is there already stays, for there may be something in it, and it is nowhere else. */
    private void mustBeMemory(Path target) throws VolumeException {
        MountTable.Mount top = tables.read().at(target).orElse(null);
        if (top != null && !top.type().equals("tmpfs")) {
            throw otherIsMounted(target, top);
        }
    }

    private static String options(MemorySize size) {
        String mode = "mode=" + Integer.toOctalString(size.permissions());
        return size.bytes() == 0 ? mode : mode + ",size=" + size.bytes();
    }
}
