package dev.mooring.host;

import com.sun.jna.NativeLong;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** An open regular file. Not thread-safe. */
public final class OpenFile extends Descriptor {
    private static final int CHUNK = 8192;
    private static final int FROM_START = 0;

    OpenFile(SystemCalls calls, int number, String path) {
        super(calls, number, path);
    }

    /** Writes at the current position. */
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

    /** Reads from the current position to the end, but at most {@code limit} bytes. */
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

    /** Reads the last bytes, at most {@code limit}. Concurrent appends may or may not be included. */
    public byte[] readEnd(int limit) throws PathException {
        long from = Math.max(0, status().size() - limit);
        retried("lseek", path(), () -> calls.lseek(number(), from, FROM_START));
        return read(limit);
    }

    /** Extends the file with a hole that takes no space. Refuses to truncate. */
    public void extendTo(long length) throws PathException {
        long now = status().size();
        if (length < now) {
            throw new IllegalArgumentException(
                    "length of " + path() + " must not shrink: it has " + now + " bytes, requested " + length);
        }
        if (length > now) {
            retried("ftruncate", path(), () -> calls.ftruncate(number(), length));
        }
    }
}
