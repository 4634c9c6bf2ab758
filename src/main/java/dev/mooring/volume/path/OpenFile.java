package dev.mooring.volume.path;

import com.sun.jna.NativeLong;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** An open regular file. Not for several threads at once. */
public final class OpenFile extends Descriptor {
    private static final int CHUNK = 8192;
    private static final int FROM_START = 0;

    OpenFile(SystemCalls calls, int number, String path) {
        super(calls, number, path);
    }

    /** From where reading or writing stopped last. */
    public void write(byte[] bytes) throws PathException {
        byte[] rest = bytes;
        while (rest.length > 0) {
            byte[] part = rest;
            long written = retried(
                    "write",
                    path(),
                    () -> calls.write(number(), part, new NativeLong(part.length))
                            .longValue());
            rest = Arrays.copyOfRange(rest, Math.toIntExact(written), rest.length);
        }
    }

    /** From where reading stopped last to the end, but never more than {@code limit} bytes. */
    public byte[] read(int limit) throws PathException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] chunk = new byte[CHUNK];
        while (all.size() < limit) {
            int wanted = Math.min(CHUNK, limit - all.size());
            int length = (int) retried(
                    "read",
                    path(),
                    () -> calls.read(number(), chunk, new NativeLong(wanted)).longValue());
            if (length == 0) {
                break;
            }
            all.write(chunk, 0, length);
        }
        return all.toByteArray();
    }

    /** The last bytes of it, never more than {@code limit}. Who appends meanwhile may be heard or not. */
    public byte[] readEnd(int limit) throws PathException {
        long from = Math.max(0, status().size() - limit);
        retried("lseek", path(), () -> calls.lseek(number(), from, FROM_START));
        return read(limit);
    }

    /** Makes it longer by a hole that takes no space. Refuses to make it shorter: data would be lost. */
    public void extendTo(long length) throws PathException {
        long now = status().size();
        if (length < now) {
            throw new IllegalArgumentException(
                    "Expected " + path() + " to grow, but it has " + now + " bytes and " + length + " were asked for");
        }
        if (length > now) {
            retried("ftruncate", path(), () -> calls.ftruncate(number(), length));
        }
    }
}
