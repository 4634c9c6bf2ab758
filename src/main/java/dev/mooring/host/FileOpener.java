package dev.mooring.host;

import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;

/**
 * Opens one name in an open directory without following links. Uses {@code openat2} (Linux 5.6), which can also refuse
 * to cross mounts. If the kernel or a seccomp filter does not support it, uses {@code openat} with {@code O_NOFOLLOW}
 * and checks the mount afterwards. Longer paths are opened name by name, each from the previous descriptor, so
 * concurrent renames cannot redirect it.
 */
final class FileOpener {
    static final int READ = 0;
    static final int READ_WRITE = 2;
    static final int CREATE = 0100;
    static final int EXCLUSIVE = 0200;
    static final int DIRECTORY = Platform.isARM() ? 0040000 : 0200000;

    /** {@code O_PATH}: refers to the file without opening it. */
    static final int ONLY_NAME = 010000000;

    /** {@code AT_FDCWD}: paths are relative to the working directory, or absolute. */
    static final int HERE = -100;

    private static final int NO_FOLLOW = Platform.isARM() ? 0100000 : 0400000;
    private static final int CLOSE_ON_EXEC = 02000000;

    /** {@code O_NONBLOCK}: opening a named pipe of a user would block otherwise. */
    private static final int NON_BLOCK = 04000;

    private static final int ALWAYS = NO_FOLLOW | CLOSE_ON_EXEC;
    private static final long OPENAT2 = 437;
    private static final int HOW_BYTES = 24;
    private static final long NO_MOUNTS = 0x01;
    private static final long NO_LINKS = 0x02 | 0x04;
    private static final long BENEATH = 0x08;

    private FileOpener() {}

    static int open(Descriptor from, byte[] name, int flags, int mode, MountScope reach) throws PathException {
        String path = from.path() + "/" + Descriptor.displayName(name);
        try {
            return openat2(from, name, flags, mode, reach);
        } catch (PathException e) {
            if (!mayBeUnknown(e)) {
                throw e;
            }
        }
        int opened = (int)
                Descriptor.retried("open", path, () -> from.calls.openat(from.number(), name, complete(flags), mode));
        if (reach == MountScope.SAME_MOUNT) {
            requireSameMount(from, opened, path);
        }
        return opened;
    }

    /** Opens the root directory. */
    static int root(SystemCalls calls) throws PathException {
        byte[] root = Descriptor.bytes("/");
        return (int) Descriptor.retried("open", "/", () -> calls.openat(HERE, root, complete(DIRECTORY), 0));
    }

    /** Adds the common flags. Opening with O_PATH cannot block, and the kernel refuses O_NONBLOCK with it. */
    private static int complete(int flags) {
        return flags | ALWAYS | ((flags & ONLY_NAME) == 0 ? NON_BLOCK : 0);
    }

    /**
     * Returns whether the call may be unsupported. Seccomp filters of older container engines return EPERM for unknown
     * calls.
     */
    private static boolean mayBeUnknown(PathException e) {
        return e.errno() == Errno.ENOSYS || e.errno() == Errno.EPERM;
    }

    private static int openat2(Descriptor from, byte[] name, int flags, int mode, MountScope reach)
            throws PathException {
        Memory how = new Memory(HOW_BYTES);
        how.setLong(0, complete(flags));
        how.setLong(8, mode);
        how.setLong(16, NO_LINKS | BENEATH | (reach == MountScope.SAME_MOUNT ? NO_MOUNTS : 0));
        NativeLong number = new NativeLong(OPENAT2);
        NativeLong size = new NativeLong(HOW_BYTES);
        return (int) Descriptor.retried(
                "open",
                from.path() + "/" + Descriptor.displayName(name),
                () -> from.calls.syscall(number, from.number(), name, how, size).longValue());
    }

    private static void requireSameMount(Descriptor from, int opened, String path) throws PathException {
        boolean stays = false;
        try {
            FileStatus.FileLocation there =
                    Descriptor.status(from.calls, opened, path).location();
            stays = there.sharesMountWith(from.status().location());
        } finally {
            if (!stays) {
                from.calls.close(opened);
            }
        }
        if (!stays) {
            throw new PathException("open", path, Errno.EXDEV);
        }
    }
}
