package dev.mooring.volume.path;

import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;
import java.nio.file.Path;

/**
 * A file, directory or device of which this process only holds on to where it is ({@code O_PATH}): nothing of it is opened, so a device
 * does not notice and a pipe does not block. Good for mounting it, or onto it, by its {@link #handle}. Not for several threads at once.
 */
public final class Held extends Descriptor {
    private static final int HERE = -100;
    private static final int HOLD = 010000000 | 02000000;
    private static final int NO_FOLLOW = Platform.isARM() ? 0100000 : 0400000;
    private static final NativeLong OPENAT2 = new NativeLong(437);
    private static final int HOW_BYTES = 24;

    /** No other mount, no link of either kind, nothing above. */
    private static final long STAY = 0x01 | 0x02 | 0x04 | 0x08;

    private Held(SystemCalls calls, int number, String path) {
        super(calls, number, path);
    }

    /** What is there now. Follows links, as whoever named the path would expect. */
    public static Held open(SystemCalls calls, Path absolute) throws PathException {
        String path = absolute.toString();
        return new Held(calls, open(calls, path, path, HOLD), path);
    }

    /** What is seen at that name: what is mounted there if something is. No link is followed; a link is refused. */
    public static Held seen(Directory parent, String name) throws PathException {
        String path = parent.path() + "/" + name;
        bytes(name);
        return noLink(
                new Held(parent.calls, open(parent.calls, parent.handle() + "/" + name, path, HOLD | NO_FOLLOW), path));
    }

    /** What is at that name, where nothing is known to be mounted: if something is by now, {@link PathException#isElsewhere}. */
    public static Held spot(Directory parent, String name) throws PathException {
        try {
            return bare(parent, name);
        } catch (PathException e) {
            if (!isUnknownCall(e)) {
                throw e;
            }
            return seen(parent, name);
        }
    }

    /** EPERM is what filters of older container engines answer to calls they have not heard of. */
    static boolean isUnknownCall(PathException e) {
        return e.errno() == Errno.ENOSYS || e.errno() == Errno.EPERM;
    }

    /**
     * What is at that name itself. If something is mounted there, the kernel says {@link PathException#isElsewhere} without having touched
     * it. Needs {@code openat2}: an older kernel says that it does not know the call.
     */
    static Held bare(Directory parent, String name) throws PathException {
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
        return noLink(new Held(parent.calls, (int) number, path));
    }

    private static int open(SystemCalls calls, String name, String path, int flags) throws PathException {
        byte[] bytes = bytes(name);
        return (int) retried("open", path, () -> calls.openat(HERE, bytes, flags, 0));
    }

    private static Held noLink(Held held) throws PathException {
        boolean good = false;
        try {
            if (held.status().type() == FileStatus.Type.LINK) {
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
