package dev.mooring.host;

import com.sun.jna.Memory;
import com.sun.jna.NativeLong;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the names in a directory one buffer at a time, so that large directories need little memory. Names are bytes,
 * because they need not be valid text in any encoding. Not thread-safe.
 */
public final class DirectoryEntries {
    private static final int BUFFER = 32 * 1024;
    private static final int LENGTH_AT = 16;
    private static final int NAME_AT = 19;

    private final OpenDirectory directory;
    private final Memory buffer = new Memory(BUFFER);

    DirectoryEntries(OpenDirectory directory) {
        this.directory = directory;
    }

    /**
     * Returns the next names as text; empty at the end. Names that are not valid text are garbled and cannot be looked
     * up.
     */
    public List<String> next() throws PathException {
        List<String> names = new ArrayList<>();
        for (byte[] each : nextBytes()) {
            names.add(Descriptor.displayName(each));
        }
        return names;
    }

    /** Returns the next names, each zero-terminated; empty at the end. */
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
