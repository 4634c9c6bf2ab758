package dev.mooring.volume.path;

import com.sun.jna.Native;
import java.io.IOException;

/** A system call on a path that failed: which one, on what, and why. */
public final class PathException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    PathException(String call, String path, int errno) {
        super(call + " " + path + ": " + Errno.words(errno));
        this.errno = errno;
    }

    PathException(String message, int errno) {
        super(message);
        this.errno = errno;
    }

    /** Of a system call that this thread has just made, and that failed. */
    public static PathException ofLastError(String call, String path) {
        return new PathException(call, path, Native.getLastError());
    }

    /** There is nothing of that name. */
    public boolean isMissing() {
        return errno == Errno.ENOENT;
    }

    /** There is something of that name already. */
    public boolean isTaken() {
        return errno == Errno.EEXIST || errno == Errno.ENOTEMPTY;
    }

    /** The way leads through a symbolic link. Linux says "not a directory" where a directory was asked for and a link found. */
    public boolean isDiverted() {
        return errno == Errno.ELOOP || errno == Errno.ENOTDIR;
    }

    /** The way leads into another file system or mount. */
    public boolean isElsewhere() {
        return errno == Errno.EXDEV;
    }

    /** The server or program that had it no longer knows it. */
    public boolean isStale() {
        return errno == Errno.ESTALE || errno == Errno.ENOTCONN;
    }

    /** It can be looked at but not changed: by this process, or by nobody. */
    public boolean isForbidden() {
        return errno == Errno.EPERM || errno == Errno.EACCES || errno == Errno.EROFS || errno == Errno.EOPNOTSUPP;
    }

    int errno() {
        return errno;
    }
}
