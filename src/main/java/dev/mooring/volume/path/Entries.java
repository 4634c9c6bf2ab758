package dev.mooring.volume.path;

import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The names in a directory, read a buffer at a time, so that a directory of millions costs no memory. Names are bytes: a user may have
 * chosen some that are no text in any encoding. Not for several threads at once.
 */
public final class Entries {
    private static final int BUFFER = 32 * 1024;
    private static final int LENGTH_AT = 16;
    private static final int NAME_AT = 19;

    private final Directory directory;
    private final Memory buffer = new Memory(BUFFER);

    Entries(Directory directory) {
        this.directory = directory;
    }

    /** Some names as text; empty at the end. Names that are no text come garbled and will not be found again. */
    public List<String> next() throws PathException {
        List<String> names = new ArrayList<>();
        for (byte[] each : nextBytes()) {
            names.add(Descriptor.words(each));
        }
        return names;
    }

    /** Some names, each with a zero at its end; empty at the end of the directory. */
    List<byte[]> nextBytes() throws PathException {
        List<byte[]> names = new ArrayList<>();
        while (names.isEmpty()) {
            int length = (int) Descriptor.retried(
                    "getdents",
                    directory.path(),
                    () -> directory
                            .calls
                            .getdents64(directory.number(), buffer, new NativeLong(BUFFER))
                            .longValue());
            if (length == 0) {
                return names;
            }
            int at = 0;
            while (at < length) {
                String name = buffer.getString(at + NAME_AT, StandardCharsets.ISO_8859_1.name());
                if (!name.equals(".") && !name.equals("..")) {
                    names.add((name + "\0").getBytes(StandardCharsets.ISO_8859_1));
                }
                at += buffer.getShort(at + LENGTH_AT) & 0xffff;
            }
        }
        return names;
    }
}
