package dev.mooring.volume.path;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import java.util.Optional;

/**
 * The kernel's own ways to mount and unmount, by descriptors, so that no path is looked up that somebody could bend. Only for what
 * answers at once. Stateless; any thread.
 */
public final class Mounting {
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
    private static final long PRIVATE = 1 << 18;
    private static final long RELATIVE_ACCESS_TIME = 1 << 21;

    private static final int DETACH = 2;
    private static final int UNMOUNT_NO_FOLLOW = 8;

    private final SystemCalls calls;

    public Mounting(SystemCalls calls) {
        this.calls = calls;
    }

    /** How an attempt to unmount ended. */
    public enum Unmounted {
        DONE,
        NOTHING_THERE,
        /** Somebody uses it, or something is mounted below it. */
        IN_USE
    }

    /**
     * Whether something is mounted at that name. Does not touch what is. Nothing if the kernel has no way to tell (before Linux 5.6): then
     * the mount table must be read.
     */
    public Optional<Boolean> isMountPoint(Directory parent, String name) throws PathException {
        try (Held bare = Held.bare(parent, name)) {
            return Optional.of(false);
        } catch (PathException e) {
            if (e.isElsewhere()) {
                return Optional.of(true);
            }
            if (e.isMissing() || e.isDiverted()) {
                return Optional.of(false);
            }
            if (!Held.isUnknownCall(e)) {
                throw e;
            }
        }
        return attribute(parent, name);
    }

    /** A filter that forbids the newer call may let this one pass. */
    private Optional<Boolean> attribute(Directory parent, String name) throws PathException {
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

    /** Makes it appear over the target, without what is mounted below it. */
    public void bind(Descriptor source, Descriptor target) throws PathException {
        String words = source.path() + " at " + target.path();
        mount("bind", words, source.handle(), target, "none", BIND, "");
    }

    /** What is mounted below it from now on is seen nowhere else, and the other way round. */
    public void makePrivate(Descriptor mounted) throws PathException {
        mount("make private", mounted.path(), "none", mounted, "none", PRIVATE, "");
    }

    /** Nobody can write through this mount any more; what else it forbids stays forbidden. */
    public void makeReadOnly(Descriptor mounted) throws PathException {
        long flags = REMOUNT | BIND | READ_ONLY | kept(flags(mounted));
        mount("make read-only", mounted.path(), "none", mounted, "none", flags, "");
    }

    public boolean isReadOnly(Descriptor mounted) throws PathException {
        return (flags(mounted) & READ_ONLY) != 0;
    }

    /** The kernel would take away what is not said again, or refuse that in a container. */
    private static long kept(long inForce) {
        long flags = inForce & (NO_SET_ID | NO_DEVICES | NO_PROGRAMS | NO_ACCESS_TIME | NO_DIRECTORY_ACCESS_TIME);
        flags |= (inForce & 0x1000) == 0 ? 0 : RELATIVE_ACCESS_TIME;
        flags |= (inForce & 0x2000) == 0 ? 0 : NO_LINKS;
        return flags;
    }

    /** A file system in memory. Its pages are kept from the swap space where the kernel can (Linux 6.4). */
    public void memory(Descriptor target, String options) throws PathException {
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
            String doing, String words, String source, Descriptor target, String type, long flags, String options)
            throws PathException {
        byte[] from = Descriptor.bytes(source);
        byte[] to = Descriptor.bytes(target.handle());
        byte[] fileSystem = Descriptor.bytes(type);
        byte[] data = options.isEmpty() ? null : Descriptor.bytes(options);
        Descriptor.retried(doing, words, () -> calls.mount(from, to, fileSystem, new NativeLong(flags), data));
    }

    /** Takes away the topmost mount at that name, when what was written to it is safe. May take as long as that takes. */
    public Unmounted unmount(Directory parent, String name) throws PathException {
        return unmount(parent, name, UNMOUNT_NO_FOLLOW);
    }

    /** The same at once, whoever uses it. Only for a bind mount: what is written is then still written. */
    public Unmounted detachBind(Directory parent, String name) throws PathException {
        return unmount(parent, name, UNMOUNT_NO_FOLLOW | DETACH);
    }

    private Unmounted unmount(Directory parent, String name, int flags) throws PathException {
        byte[] path = Descriptor.bytes(parent.handle() + "/" + name);
        try {
            Descriptor.retried("umount", parent.path() + "/" + name, () -> calls.umount2(path, flags));
            return Unmounted.DONE;
        } catch (PathException e) {
            return switch (e.errno()) {
                case EBUSY -> Unmounted.IN_USE;
                // EINVAL: that is no mount point.
                case Errno.EINVAL, Errno.ENOENT -> Unmounted.NOTHING_THERE;
                default -> throw e;
            };
        }
    }

    private static long flags(Descriptor mounted) throws PathException {
        byte[] path = Descriptor.bytes(mounted.handle());
        Memory result = new Memory(FileSystemCalls.BYTES);
        Descriptor.retried("statfs", mounted.path(), () -> FileSystemCalls.Loaded.REAL.statfs(path, result));
        return result.getLong(FileSystemCalls.FLAGS_AT);
    }

    /** What {@link SystemCalls} has no word for. */
    private interface FileSystemCalls extends Library {
        /** As 64-bit Linux lays it out on every processor, with room to spare. */
        int BYTES = 256;

        int FLAGS_AT = 80;

        int statfs(byte[] path, Pointer result);

        /** Holds the one instance until somebody needs it. */
        final class Loaded {
            private static final FileSystemCalls REAL = Native.load("c", FileSystemCalls.class);

            private Loaded() {}
        }
    }
}
