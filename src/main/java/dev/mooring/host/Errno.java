package dev.mooring.host;

import java.util.Map;

/** Linux error numbers that the code distinguishes or messages describe. */
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EXDEV = 18;
    static final int EISDIR = 21;
    static final int EINVAL = 22;
    static final int EEXIST = 17;
    static final int ENOTDIR = 20;
    static final int EROFS = 30;
    static final int ENOSYS = 38;
    static final int ENOTEMPTY = 39;
    static final int ELOOP = 40;
    static final int ENODATA = 61;
    static final int EOPNOTSUPP = 95;
    static final int ENOTCONN = 107;
    static final int ESTALE = 116;

    private static final Map<Integer, String> MESSAGES = Map.ofEntries(
            Map.entry(EPERM, "EPERM, not permitted"),
            Map.entry(ENOENT, "ENOENT, no such file or directory"),
            Map.entry(EINTR, "EINTR, interrupted"),
            Map.entry(5, "EIO, input/output error"),
            Map.entry(EAGAIN, "EAGAIN, try again"),
            Map.entry(EACCES, "EACCES, permission denied"),
            Map.entry(16, "EBUSY, in use or a mount point"),
            Map.entry(EEXIST, "EEXIST, exists already"),
            Map.entry(EXDEV, "EXDEV, leads to another file system or mount"),
            Map.entry(ENOTDIR, "ENOTDIR, not a directory"),
            Map.entry(EISDIR, "EISDIR, is a directory"),
            Map.entry(EINVAL, "EINVAL, invalid argument"),
            Map.entry(24, "EMFILE, too many open files"),
            Map.entry(26, "ETXTBSY, in use"),
            Map.entry(27, "EFBIG, too large"),
            Map.entry(28, "ENOSPC, no space left"),
            Map.entry(EROFS, "EROFS, read-only file system"),
            Map.entry(36, "ENAMETOOLONG, name too long"),
            Map.entry(ENOSYS, "ENOSYS, not known to this kernel"),
            Map.entry(ENOTEMPTY, "ENOTEMPTY, not empty"),
            Map.entry(ELOOP, "ELOOP, a symbolic link"),
            Map.entry(ENODATA, "ENODATA, no such attribute"),
            Map.entry(EOPNOTSUPP, "EOPNOTSUPP, not supported"),
            Map.entry(ENOTCONN, "ENOTCONN, the program that served it is gone"),
            Map.entry(ESTALE, "ESTALE, stale file handle"),
            Map.entry(122, "EDQUOT, quota exceeded"));

    private Errno() {}

    static String message(int number) {
        return MESSAGES.getOrDefault(number, "error " + number);
    }
}
