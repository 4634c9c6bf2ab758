package dev.mooring.host;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;

/**
 * Linux system calls that Java lacks. Names and arguments are those of the C library; a negative result is an error,
 * see {@link Native#getLastError}. File names are zero-terminated bytes. An interface, so that tests can make each call
 * fail. Thread-safe.
 */
public interface SystemCalls extends Library {
    /** Returns the calls of this machine. Loaded on first use: most commands never access a volume. */
    static SystemCalls real() {
        return Loaded.REAL;
    }

    /** For openat2, which the C library does not wrap. */
    NativeLong syscall(NativeLong number, int directory, byte[] path, Pointer how, NativeLong size);

    int openat(int directory, byte[] path, int flags, int mode);

    int close(int file);

    int mkdirat(int directory, byte[] path, int mode);

    int unlinkat(int directory, byte[] path, int flags);

    int renameat2(int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags);

    int fchmod(int file, int mode);

    int fchown(int file, int uid, int gid);

    int fsync(int file);

    int ftruncate(int file, long length);

    /** Has the same layout on every platform, unlike {@code fstat}. */
    int statx(int directory, byte[] path, int flags, int mask, Pointer result);

    NativeLong read(int file, byte[] bytes, NativeLong length);

    NativeLong write(int file, byte[] bytes, NativeLong length);

    NativeLong getdents64(int directory, Pointer entries, NativeLong length);

    long lseek(int file, long offset, int whence);

    int fsetxattr(int file, byte[] name, byte[] value, NativeLong length, int flags);

    NativeLong fgetxattr(int file, byte[] name, byte[] value, NativeLong length);

    int symlinkat(byte[] target, int directory, byte[] path);

    NativeLong readlinkat(int directory, byte[] path, byte[] target, NativeLong length);

    int fchmodat(int directory, byte[] path, int mode, int flags);

    int faccessat(int directory, byte[] path, int mode, int flags);

    int fchownat(int directory, byte[] path, int uid, int gid, int flags);

    /** {@code data} may be null. */
    int mount(byte[] source, byte[] target, byte[] type, NativeLong flags, byte[] data);

    int umount2(byte[] target, int flags);

    /** Reads the clock's state if {@code timex} is zeroed; 5 (TIME_ERROR) if the clock is not synchronized. */
    int adjtimex(Pointer timex);

    int socket(int domain, int type, int protocol);

    NativeLong sendto(int socket, byte[] message, NativeLong length, int flags, byte[] address, int addressLength);

    /** Lazy holder of the instance. */
    final class Loaded {
        private static final SystemCalls REAL = Native.load("c", SystemCalls.class);

        private Loaded() {}
    }
}
