package dev.mooring.volume.content;

import java.util.Arrays;

/**
 * One file of a volume. {@code toString} omits the bytes, which may be secret. Immutable: the bytes must not be
 * modified.
 */
final class ContentFile {
    private final byte[] bytes;
    private final int mode;

    /**
     * Creates a file.
     *
     * @param mode permissions, such as 0644
     */
    ContentFile(byte[] bytes, int mode) {
        this.bytes = bytes;
        this.mode = mode;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return bytes.length;
    }

    boolean holds(byte[] others) {
        return Arrays.equals(bytes, others);
    }

    int mode() {
        return mode;
    }

    @Override
    public String toString() {
        return bytes.length + " bytes, mode " + Integer.toOctalString(mode);
    }
}
