package dev.mooring.host;

import com.sun.jna.Native;
import java.io.IOException;

/** A failed system call on a path, with the call, the path and the error. */
public final class PathException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    PathException(String call, String path, int errno) {
        super(call + " " + path + ": " + Errno.message(errno));
        this.errno = errno;
    }

    PathException(String message, int errno) {
        super(message);
        this.errno = errno;
    }

    /** Returns the error of the system call that this thread has just made. */
    public static PathException ofLastError(String call, String path) {
        return new PathException(call, path, Native.getLastError());
    }

    /** Returns whether the name does not exist. */
    public boolean isMissing() {
        return errno == Errno.ENOENT;
    }

    /** Returns whether the name already exists. */
    public boolean isExisting() {
        return errno == Errno.EEXIST || errno == Errno.ENOTEMPTY;
    }

    /**
     * Returns whether the path contains a symbolic link. Linux reports ENOTDIR if it expected a directory and found a
     * link.
     */
    public boolean isThroughSymlink() {
        return errno == Errno.ELOOP || errno == Errno.ENOTDIR;
    }

    /** Returns whether the path leads into another file system or mount. */
    public boolean isOtherMount() {
        return errno == Errno.EXDEV;
    }

    /** Returns whether the file handle is stale. */
    public boolean isStale() {
        return errno == Errno.ESTALE || errno == Errno.ENOTCONN;
    }

    /** Returns whether access was denied or the file system is read-only. */
    public boolean isForbidden() {
        return errno == Errno.EPERM || errno == Errno.EACCES || errno == Errno.EROFS || errno == Errno.EOPNOTSUPP;
    }

    int errno() {
        return errno;
    }
}
