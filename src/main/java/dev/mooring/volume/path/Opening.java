package dev.mooring.volume.path;

import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;

/**
 * Opens one name in an open directory, following no link. Asks {@code openat2} (Linux 5.6), which can also refuse to cross into another
 * mount in the same step; where the kernel, or the filter a container engine has put before it, does not know that call, takes
 * {@code openat} with {@code O_NOFOLLOW} and looks afterwards in which mount it has arrived. A longer way is gone name by name: each step
 * starts from a descriptor, so that nobody can bend what lies behind.
 */
final class Opening {
    static final int READ = 0;
    static final int READ_WRITE = 2;
    static final int CREATE = 0100;
    static final int EXCLUSIVE = 0200;
    static final int DIRECTORY = Platform.isARM() ? 0040000 : 0200000;

    /** Not to read or write, only to have it in hand. */
    static final int ONLY_NAME = 010000000;

    /** Paths begin where the process is at home, or are absolute. */
    static final int HERE = -100;

    private static final int NO_FOLLOW = Platform.isARM() ? 0100000 : 0400000;
    private static final int CLOSE_ON_EXEC = 02000000;

    /** A named pipe that a user has left would block for ever. */
    private static final int NON_BLOCK = 04000;

    private static final int ALWAYS = NO_FOLLOW | CLOSE_ON_EXEC;
    private static final long OPENAT2 = 437;
    private static final int HOW_BYTES = 24;
    private static final long NO_MOUNTS = 0x01;
    private static final long NO_LINKS = 0x02 | 0x04;
    private static final long BENEATH = 0x08;

    private Opening() {}

    static int open(Descriptor from, byte[] name, int flags, int mode, Reach reach) throws PathException {
        String words = from.path() + "/" + Descriptor.words(name);
        try {
            return openat2(from, name, flags, mode, reach);
        } catch (PathException e) {
            if (!mayBeUnknown(e)) {
                throw e;
            }
        }
        int opened = (int)
                Descriptor.retried("open", words, () -> from.calls.openat(from.number(), name, complete(flags), mode));
        if (reach == Reach.SAME_MOUNT) {
            staysIn(from, opened, words);
        }
        return opened;
    }

    /** The root of all paths. */
    static int root(SystemCalls calls) throws PathException {
        byte[] root = Descriptor.bytes("/");
        return (int) Descriptor.retried("open", "/", () -> calls.openat(HERE, root, complete(DIRECTORY), 0));
    }

    /** What is not opened cannot block, and the kernel wants no such flag for it. */
    private static int complete(int flags) {
        return flags | ALWAYS | ((flags & ONLY_NAME) == 0 ? NON_BLOCK : 0);
    }

    /** EPERM is what filters of older container engines answer to calls they have not heard of. */
    private static boolean mayBeUnknown(PathException e) {
        return e.errno() == Errno.ENOSYS || e.errno() == Errno.EPERM;
    }

    private static int openat2(Descriptor from, byte[] name, int flags, int mode, Reach reach) throws PathException {
        Memory how = new Memory(HOW_BYTES);
        how.setLong(0, complete(flags));
        how.setLong(8, mode);
        how.setLong(16, NO_LINKS | BENEATH | (reach == Reach.SAME_MOUNT ? NO_MOUNTS : 0));
        NativeLong number = new NativeLong(OPENAT2);
        NativeLong size = new NativeLong(HOW_BYTES);
        return (int) Descriptor.retried(
                "open",
                from.path() + "/" + Descriptor.words(name),
                () -> from.calls.syscall(number, from.number(), name, how, size).longValue());
    }

    private static void staysIn(Descriptor from, int opened, String words) throws PathException {
        boolean stays = false;
        try {
            FileStatus.Place there =
                    Descriptor.status(from.calls, opened, words).place();
            stays = there.sharesMountWith(from.status().place());
        } finally {
            if (!stays) {
                from.calls.close(opened);
            }
        }
        if (!stays) {
            throw new PathException("open", words, Errno.EXDEV);
        }
    }
}
