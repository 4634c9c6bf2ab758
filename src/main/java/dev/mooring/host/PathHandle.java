package dev.mooring.host;

import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;
import java.nio.file.Path;

/**
 * A handle on a file, directory or device ({@code O_PATH}): it is not opened, so devices are not affected and pipes do
 * not block. Used to mount it, or to mount onto it, by its {@link #procPath}. Not thread-safe.
 */
public final class PathHandle extends Descriptor {
    private static final int HERE = -100;
    private static final int HOLD = 010000000 | 02000000;
    private static final int NO_FOLLOW = Platform.isARM() ? 0100000 : 0400000;
    private static final NativeLong OPENAT2 = new NativeLong(437);
    private static final int HOW_BYTES = 24;

    /** openat2 flags: no other mount, no links of any kind, nothing above the directory. */
    private static final long STAY = 0x01 | 0x02 | 0x04 | 0x08;

    private PathHandle(SystemCalls calls, int number, String path) {
        super(calls, number, path);
    }

    /** Opens a path, following links. */
    public static PathHandle open(SystemCalls calls, Path absolute) throws PathException {
        String path = absolute.toString();
        return new PathHandle(calls, open(calls, path, path, HOLD), path);
    }

    /** Opens the visible file at the name, including a mount on it. Refuses links. */
    public static PathHandle openVisible(OpenDirectory parent, String name) throws PathException {
        String path = parent.path() + "/" + name;
        bytes(name);
        return requireNoLink(new PathHandle(
                parent.calls, open(parent.calls, parent.procPath() + "/" + name, path, HOLD | NO_FOLLOW), path));
    }

    /**
     * Opens the file at a name without a mount on it; fails with {@link PathException#isOtherMount} if something is
     * mounted there.
     */
    public static PathHandle openUnmounted(OpenDirectory parent, String name) throws PathException {
        try {
            return openUnmountedWithOpenat2(parent, name);
        } catch (PathException e) {
            if (!isUnknownCall(e)) {
                throw e;
            }
            return openVisible(parent, name);
        }
    }

    /**
     * Returns whether the call is unsupported. Seccomp filters of older container engines return EPERM for unknown
     * calls.
     */
    static boolean isUnknownCall(PathException e) {
        return e.errno() == Errno.ENOSYS || e.errno() == Errno.EPERM;
    }

    /**
     * Opens the file at the name itself. If something is mounted there, fails with {@link PathException#isOtherMount}
     * without accessing it. Requires {@code openat2}; older kernels fail with ENOSYS.
     */
    static PathHandle openUnmountedWithOpenat2(OpenDirectory parent, String name) throws PathException {
        String path = parent.path() + "/" + name;
        Memory how = new Memory(HOW_BYTES);
        how.setLong(0, HOLD | NO_FOLLOW);
        how.setLong(8, 0);
        how.setLong(16, STAY);
        byte[] bytes = bytes(name);
        long number = retried(
                "open",
                path,
                () -> parent.calls
                        .syscall(OPENAT2, parent.number(), bytes, how, new NativeLong(HOW_BYTES))
                        .longValue());
        return requireNoLink(new PathHandle(parent.calls, (int) number, path));
    }

    private static int open(SystemCalls calls, String name, String path, int flags) throws PathException {
        byte[] bytes = bytes(name);
        return (int) retried("open", path, () -> calls.openat(HERE, bytes, flags, 0));
    }

    private static PathHandle requireNoLink(PathHandle held) throws PathException {
        boolean good = false;
        try {
            if (held.status().type() == FileStatus.FileType.LINK) {
                throw new PathException("open", held.path(), Errno.ELOOP);
            }
            good = true;
            return held;
        } finally {
            if (!good) {
                held.close();
            }
        }
    }
}
