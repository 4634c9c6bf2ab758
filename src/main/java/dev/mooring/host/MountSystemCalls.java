package dev.mooring.host;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import java.util.Optional;

/**
 * Mount and unmount system calls on descriptors, so that no path is looked up that other processes could redirect. Only
 * for file systems that do not hang. Stateless and thread-safe.
 */
public final class MountSystemCalls {
    private static final int EBUSY = 16;
    private static final int NO_FOLLOW = 0x100;
    private static final int NO_AUTOMOUNT = 0x800;
    private static final int AS_CACHED = 0x4000;
    private static final long IS_MOUNT_ROOT = 0x2000;

    private static final long READ_ONLY = 1;
    private static final long NO_SET_ID = 2;
    private static final long NO_DEVICES = 4;
    private static final long NO_PROGRAMS = 8;
    private static final long REMOUNT = 32;
    private static final long NO_LINKS = 256;
    private static final long NO_ACCESS_TIME = 1024;
    private static final long NO_DIRECTORY_ACCESS_TIME = 2048;
    private static final long BIND = 4096;
    private static final long RECURSIVE = 16384;
    private static final long PRIVATE = 1 << 18;
    private static final long SLAVE = 1 << 19;
    private static final long RELATIVE_ACCESS_TIME = 1 << 21;

    private static final int DETACH = 2;
    private static final int UNMOUNT_NO_FOLLOW = 8;

    private final SystemCalls calls;

    public MountSystemCalls(SystemCalls calls) {
        this.calls = calls;
    }

    /** Result of an unmount. */
    public enum UnmountResult {
        DONE,
        NOTHING_THERE,
        /** The mount is in use, or something is mounted below it. */
        IN_USE
    }

    /**
     * Returns whether something is mounted at the name, without accessing it. Empty if the kernel cannot tell (before
     * Linux 5.6); the caller must read the mount table.
     */
    public Optional<Boolean> isMountPoint(OpenDirectory parent, String name) throws PathException {
        try (PathHandle bare = PathHandle.openUnmountedWithOpenat2(parent, name)) {
            return Optional.of(false);
        } catch (PathException e) {
            if (e.isOtherMount()) {
                return Optional.of(true);
            }
            if (e.isMissing() || e.isThroughSymlink()) {
                return Optional.of(false);
            }
            if (!PathHandle.isUnknownCall(e)) {
                throw e;
            }
        }
        return attribute(parent, name);
    }

    /** Uses statx, which a seccomp filter may allow when it forbids openat2. */
    private Optional<Boolean> attribute(OpenDirectory parent, String name) throws PathException {
        Memory result = new Memory(FileStatus.BYTES);
        byte[] bytes = Descriptor.bytes(name);
        try {
            Descriptor.retried(
                    "statx",
                    parent.path() + "/" + name,
                    () -> calls.statx(parent.number(), bytes, NO_FOLLOW | NO_AUTOMOUNT | AS_CACHED, 0, result));
        } catch (PathException e) {
            if (e.isMissing()) {
                return Optional.of(false);
            }
            throw e;
        }
        boolean known = (result.getLong(56) & IS_MOUNT_ROOT) != 0;
        return known ? Optional.of((result.getLong(8) & IS_MOUNT_ROOT) != 0) : Optional.empty();
    }

    /**
     * Bind-mounts the source over the target.
     *
     * @param recursive whether to include mounts below the source, which are not accessed
     */
    public void bind(Descriptor source, Descriptor target, boolean recursive) throws PathException {
        String description = source.path() + " at " + target.path();
        mount("bind", description, source.procPath(), target, "none", recursive ? BIND | RECURSIVE : BIND, "");
    }

    /** Makes the mount a slave: later mounts below the source appear here, but not the other way round. */
    public void makeSlave(Descriptor mounted) throws PathException {
        mount("make slave", mounted.path(), "none", mounted, "none", SLAVE | RECURSIVE, "");
    }

    /** Makes the mount private: later mounts below it are not propagated in either direction. */
    public void makePrivate(Descriptor mounted) throws PathException {
        mount("make private", mounted.path(), "none", mounted, "none", PRIVATE, "");
    }

    /** Adds restrictions to this mount; existing ones stay. Mounts below it are not changed. */
    public void restrict(Descriptor mounted, boolean readOnly, boolean noSetId, boolean noDevices)
            throws PathException {
        long inForce = flags(mounted);
        long flags = REMOUNT | BIND | (inForce & READ_ONLY) | kept(inForce);
        flags |= readOnly ? READ_ONLY : 0;
        flags |= noSetId ? NO_SET_ID : 0;
        flags |= noDevices ? NO_DEVICES : 0;
        mount("restrict", mounted.path(), "none", mounted, "none", flags, "");
    }

    public boolean isReadOnly(Descriptor mounted) throws PathException {
        return (flags(mounted) & READ_ONLY) != 0;
    }

    /** Returns whether the mount is nosuid. */
    public boolean ignoresSetId(Descriptor mounted) throws PathException {
        return (flags(mounted) & NO_SET_ID) != 0;
    }

    public boolean refusesDevices(Descriptor mounted) throws PathException {
        return (flags(mounted) & NO_DEVICES) != 0;
    }

    /** Returns the flags that a remount must repeat. The kernel would drop them, or refuse that in a container. */
    private static long kept(long inForce) {
        long flags = inForce & (NO_SET_ID | NO_DEVICES | NO_PROGRAMS | NO_ACCESS_TIME | NO_DIRECTORY_ACCESS_TIME);
        flags |= (inForce & 0x1000) == 0 ? 0 : RELATIVE_ACCESS_TIME;
        flags |= (inForce & 0x2000) == 0 ? 0 : NO_LINKS;
        return flags;
    }

    /** Mounts a tmpfs, with noswap where the kernel supports it (Linux 6.4). */
    public void mountTmpfs(Descriptor target, String options) throws PathException {
        long flags = NO_SET_ID | NO_DEVICES;
        try {
            mount("mount tmpfs", target.path(), "tmpfs", target, "tmpfs", flags, options + ",noswap");
        } catch (PathException e) {
            if (e.errno() != Errno.EINVAL) {
                throw e;
            }
            mount("mount tmpfs", target.path(), "tmpfs", target, "tmpfs", flags, options);
        }
    }

    private void mount(
            String call, String description, String source, Descriptor target, String type, long flags, String options)
            throws PathException {
        byte[] from = Descriptor.bytes(source);
        byte[] to = Descriptor.bytes(target.procPath());
        byte[] fileSystem = Descriptor.bytes(type);
        byte[] data = options.isEmpty() ? null : Descriptor.bytes(options);
        Descriptor.retried(call, description, () -> calls.mount(from, to, fileSystem, new NativeLong(flags), data));
    }

    /** Unmounts the topmost mount at the name. Blocks until cached data is written. */
    public UnmountResult unmount(OpenDirectory parent, String name) throws PathException {
        return unmount(parent, name, UNMOUNT_NO_FOLLOW);
    }

    /**
     * Lazily unmounts a bind mount, even if it is in use. Only for bind mounts, where pending writes still complete.
     */
    public UnmountResult detachBind(OpenDirectory parent, String name) throws PathException {
        return unmount(parent, name, UNMOUNT_NO_FOLLOW | DETACH);
    }

    private UnmountResult unmount(OpenDirectory parent, String name, int flags) throws PathException {
        byte[] path = Descriptor.bytes(parent.procPath() + "/" + name);
        try {
            Descriptor.retried("umount", parent.path() + "/" + name, () -> calls.umount2(path, flags));
            return UnmountResult.DONE;
        } catch (PathException e) {
            return switch (e.errno()) {
                case EBUSY -> UnmountResult.IN_USE;
                // EINVAL: not a mount point.
                case Errno.EINVAL, Errno.ENOENT -> UnmountResult.NOTHING_THERE;
                default -> throw e;
            };
        }
    }

    private static long flags(Descriptor mounted) throws PathException {
        byte[] path = Descriptor.bytes(mounted.procPath());
        Memory result = new Memory(FileSystemCalls.BYTES);
        Descriptor.retried("statfs", mounted.path(), () -> FileSystemCalls.Loaded.REAL.statfs(path, result));
        return result.getLong(FileSystemCalls.FLAGS_AT);
    }

    /** System calls that {@link SystemCalls} does not have. */
    private interface FileSystemCalls extends Library {
        /** Layout on all 64-bit Linux platforms, with spare room. */
        int BYTES = 256;

        int FLAGS_AT = 80;

        int statfs(byte[] path, Pointer result);

        /** Lazy holder of the instance. */
        final class Loaded {
            private static final FileSystemCalls REAL = Native.load("c", FileSystemCalls.class);

            private Loaded() {}
        }
    }
}
