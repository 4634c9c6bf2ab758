package dev.mooring.volume.path;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * An open file or directory: what can be asked of and done to it without naming it again, so that nobody can put something else in its
 * place meanwhile. Not for several threads at once.
 */
public abstract class Descriptor implements AutoCloseable {
    /** No further name: the descriptor itself is meant, if {@link #EMPTY_PATH} says that this is allowed. */
    static final byte[] NOTHING = {0};

    static final int EMPTY_PATH = 0x1000;
    private static final int FOR_WRITING = 2;

    private static final int MAX_ATTRIBUTE = 256;
    private static final int RETRIES = 64;

    final SystemCalls calls;
    private final String path;
    private final int number;
    private boolean closed;

    Descriptor(SystemCalls calls, int number, String path) {
        this.calls = calls;
        this.number = number;
        this.path = path;
    }

    /** How it was reached, for messages only. */
    public final String path() {
        return path;
    }

    final int number() {
        if (closed) {
            throw new IllegalStateException("Expected " + path + " to be open, but it was closed");
        }
        return number;
    }

    /** A path that leads to this very file or directory, whatever happens to its name, as long as it is open in this process. */
    public final String handle() {
        return "/proc/self/fd/" + number();
    }

    /** The same for programs that this process starts. */
    public final String handleForOthers() {
        return "/proc/" + ProcessHandle.current().pid() + "/fd/" + number();
    }

    public final FileStatus status() throws PathException {
        return status(calls, number(), path);
    }

    /** How many names the file has. Of one with several nobody knows who else means it. */
    public final int names() throws PathException {
        Memory result = new Memory(FileStatus.BYTES);
        retried("statx", path, () -> calls.statx(number(), NOTHING, EMPTY_PATH, FileStatus.WANTED, result));
        return FileStatus.names(result);
    }

    static FileStatus status(SystemCalls calls, int number, String path) throws PathException {
        Memory result = new Memory(FileStatus.BYTES);
        retried("statx", path, () -> calls.statx(number, NOTHING, EMPTY_PATH, FileStatus.WANTED, result));
        return FileStatus.of(result);
    }

    /** Exactly these permissions, whatever the umask of the process. */
    public void setPermissions(int permissions) throws PathException {
        retried("fchmod", path, () -> calls.fchmod(number(), permissions));
    }

    /** -1 leaves the one as it is. Takes set-id bits away, so permissions are set afterwards. */
    public void setOwner(int uid, int gid) throws PathException {
        retried("fchown", path, () -> calls.fchown(number(), uid, gid));
    }

    /** Whether the mount through which it was opened, or its file system, refuses every change. */
    public final boolean isReadOnly() {
        return calls.faccessat(Opening.HERE, bytes(handle()), FOR_WRITING, 0) < 0
                && Native.getLastError() == Errno.EROFS;
    }

    /** Returns when what was written, or the names in the directory, would survive a power cut. */
    public final void sync() throws PathException {
        retried("fsync", path, () -> calls.fsync(number()));
    }

    /** Writes an extended attribute where the file system has such; where not, does nothing. */
    public final void setAttribute(String name, String value) throws PathException {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        int answer = calls.fsetxattr(number(), bytes(name), bytes, new NativeLong(bytes.length), 0);
        if (answer < 0 && !lacksAttributes(Native.getLastError())) {
            throw new PathException("fsetxattr " + name, path, Native.getLastError());
        }
    }

    /** Nothing if it has none of that name, or the file system has no attributes. */
    public final Optional<String> attribute(String name) throws PathException {
        byte[] bytes = new byte[MAX_ATTRIBUTE];
        int length = calls.fgetxattr(number(), bytes(name), bytes, new NativeLong(bytes.length))
                .intValue();
        if (length >= 0) {
            return Optional.of(new String(Arrays.copyOf(bytes, length), StandardCharsets.UTF_8));
        }
        int errno = Native.getLastError();
        if (errno == Errno.ENODATA || lacksAttributes(errno)) {
            return Optional.empty();
        }
        throw new PathException("fgetxattr " + name, path, errno);
    }

    /** EPERM: some network file systems say so for {@code user.} attributes they do not keep. */
    private static boolean lacksAttributes(int errno) {
        return errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS || errno == Errno.EPERM;
    }

    /** A call whose negative answer is a number of an error. */
    interface Call {
        long answer();
    }

    /** Once more when it was interrupted, or the kernel could not be sure that nothing was moved meanwhile. */
    static long retried(String name, String path, Call call) throws PathException {
        for (int round = 1; ; round++) {
            long answer = call.answer();
            if (answer >= 0) {
                return answer;
            }
            int errno = Native.getLastError();
            if ((errno != Errno.EINTR && errno != Errno.EAGAIN) || round == RETRIES) {
                throw new PathException(name, path, errno);
            }
        }
    }

    /** As the kernel wants a name. */
    static byte[] bytes(String name) {
        if (name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("Expected a file name, but found a zero byte in it");
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    /** For messages: whatever bytes a user has chosen. */
    static String words(byte[] name) {
        return new String(name, 0, name.length - 1, StandardCharsets.UTF_8);
    }

    @Override
    public final void close() {
        if (!closed) {
            closed = true;
            calls.close(number);
        }
    }
}
