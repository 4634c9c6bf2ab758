package dev.mooring.sim.node;

import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import dev.mooring.host.SystemCalls;

/** System calls that succeed without effect; sufficient for creating termination message files. */
final class NoOpSystemCalls implements SystemCalls {
    private static final int FILE = 1_000_000;

    @Override
    public NativeLong syscall(NativeLong number, int directory, byte[] path, Pointer how, NativeLong size) {
        return new NativeLong(FILE);
    }

    @Override
    public int openat(int directory, byte[] path, int flags, int mode) {
        return FILE;
    }

    @Override
    public int close(int file) {
        return 0;
    }

    @Override
    public int mkdirat(int directory, byte[] path, int mode) {
        return 0;
    }

    @Override
    public int unlinkat(int directory, byte[] path, int flags) {
        return 0;
    }

    @Override
    public int renameat2(int fromDirectory, byte[] from, int toDirectory, byte[] to, int flags) {
        return 0;
    }

    @Override
    public int fchmod(int file, int mode) {
        return 0;
    }

    @Override
    public int fchown(int file, int uid, int gid) {
        return 0;
    }

    @Override
    public int fsync(int file) {
        return 0;
    }

    @Override
    public int ftruncate(int file, long length) {
        return 0;
    }

    @Override
    public int statx(int directory, byte[] path, int flags, int mask, Pointer result) {
        return 0;
    }

    @Override
    public NativeLong read(int file, byte[] bytes, NativeLong length) {
        return new NativeLong(0);
    }

    @Override
    public NativeLong write(int file, byte[] bytes, NativeLong length) {
        return length;
    }

    @Override
    public NativeLong getdents64(int directory, Pointer entries, NativeLong length) {
        return new NativeLong(0);
    }

    @Override
    public long lseek(int file, long offset, int whence) {
        return 0;
    }

    @Override
    public int fsetxattr(int file, byte[] name, byte[] value, NativeLong length, int flags) {
        return 0;
    }

    @Override
    public NativeLong fgetxattr(int file, byte[] name, byte[] value, NativeLong length) {
        return new NativeLong(0);
    }

    @Override
    public int symlinkat(byte[] target, int directory, byte[] path) {
        return 0;
    }

    @Override
    public NativeLong readlinkat(int directory, byte[] path, byte[] target, NativeLong length) {
        return new NativeLong(0);
    }

    @Override
    public int fchmodat(int directory, byte[] path, int mode, int flags) {
        return 0;
    }

    @Override
    public int faccessat(int directory, byte[] path, int mode, int flags) {
        return 0;
    }

    @Override
    public int fchownat(int directory, byte[] path, int uid, int gid, int flags) {
        return 0;
    }

    @Override
    public int mount(byte[] source, byte[] target, byte[] type, NativeLong flags, byte[] data) {
        return 0;
    }

    @Override
    public int umount2(byte[] target, int flags) {
        return 0;
    }

    @Override
    public int adjtimex(Pointer timex) {
        return 0;
    }

    @Override
    public int socket(int domain, int type, int protocol) {
        return 0;
    }

    @Override
    public NativeLong sendto(
            int socket, byte[] message, NativeLong length, int flags, byte[] address, int addressLength) {
        return length;
    }
}
