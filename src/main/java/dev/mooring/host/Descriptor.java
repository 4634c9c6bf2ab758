package dev.mooring.host;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * An open file or directory. Operations use the descriptor, not the name, so the file cannot be replaced concurrently.
 * Not thread-safe.
 */
public abstract class Descriptor implements AutoCloseable {
    /** Empty path: refers to the descriptor itself, together with {@link #EMPTY_PATH}. */
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

    /** Returns the path through which it was opened, for messages only. */
    public final String path() {
        return path;
    }

    final int number() {
        if (closed) {
            throw new IllegalStateException(path + " is closed");
        }
        return number;
    }

    /** Returns a path in /proc that refers to this file, even after a rename, while it is open in this process. */
    public final String procPath() {
        return "/proc/self/fd/" + number();
    }

    /** Returns a path in /proc that refers to this file for child processes. */
    public final String procPathForChildren() {
        return "/proc/" + ProcessHandle.current().pid() + "/fd/" + number();
    }

    public final FileStatus status() throws PathException {
        return status(calls, number(), path);
    }

    /** Returns the number of hard links. A file with several may be reachable through other paths. */
    public final int linkCount() throws PathException {
        Memory result = new Memory(FileStatus.BYTES);
        retried("statx", path, () -> calls.statx(number(), NOTHING, EMPTY_PATH, FileStatus.WANTED, result));
        return FileStatus.linkCount(result);
    }

    static FileStatus status(SystemCalls calls, int number, String path) throws PathException {
        Memory result = new Memory(FileStatus.BYTES);
        retried("statx", path, () -> calls.statx(number, NOTHING, EMPTY_PATH, FileStatus.WANTED, result));
        return FileStatus.of(result);
    }

    /** Sets exactly these permissions, regardless of the umask. */
    public void setPermissions(int permissions) throws PathException {
        retried("fchmod", path, () -> calls.fchmod(number(), permissions));
    }

    /** Sets the owner; -1 leaves a value unchanged. Clears set-id bits, so permissions must be set afterwards. */
    public void setOwner(int uid, int gid) throws PathException {
        retried("fchown", path, () -> calls.fchown(number(), uid, gid));
    }

    /** Returns whether the mount through which it was opened, or its file system, is read-only. */
    public final boolean isReadOnly() {
        return calls.faccessat(FileOpener.HERE, bytes(procPath()), FOR_WRITING, 0) < 0
                && Native.getLastError() == Errno.EROFS;
    }

    /** Syncs the file or directory to disk. */
    public final void sync() throws PathException {
        retried("fsync", path, () -> calls.fsync(number()));
    }

    /** Sets an extended attribute; does nothing if the file system does not support them. */
    public final void setAttribute(String name, String value) throws PathException {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        int answer = calls.fsetxattr(number(), bytes(name), bytes, new NativeLong(bytes.length), 0);
        if (answer < 0 && !lacksAttributes(Native.getLastError())) {
            throw new PathException("fsetxattr " + name, path, Native.getLastError());
        }
    }

    /** Returns an extended attribute; empty if it is not set or the file system does not support them. */
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

    /** Returns whether the file system supports extended attributes. */
    public final boolean keepsAttributes() {
        byte[] name = bytes("user.mooring.volume");
        return calls.fgetxattr(number(), name, new byte[MAX_ATTRIBUTE], new NativeLong(MAX_ATTRIBUTE))
                                .intValue()
                        >= 0
                || !lacksAttributes(Native.getLastError());
    }

    /**
     * Returns whether the error means missing support. Some network file systems return EPERM for {@code user.}
     * attributes.
     */
    private static boolean lacksAttributes(int errno) {
        return errno == Errno.EOPNOTSUPP || errno == Errno.ENOSYS || errno == Errno.EPERM;
    }

    /** A system call that returns a negative value on error. */
    interface NativeCall {
        long answer();
    }

    /** Repeats a call that was interrupted, or that the kernel aborted because of a concurrent rename. */
    static long retried(String name, String path, NativeCall call) throws PathException {
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

    /** Returns the name as a zero-terminated byte string. */
    static byte[] bytes(String name) {
        if (name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("file name must not contain a zero byte");
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    /** Returns a printable form of a name, which can be any byte string. */
    static String displayName(byte[] name) {
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
