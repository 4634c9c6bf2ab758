package dev.mooring.volume.content;

import java.util.Arrays;

/** A file that a volume should show. Its bytes may be secret, so its text form does not tell them. Immutable: nobody changes the bytes. */
final class ContentFile {
    private final byte[] bytes;
    private final int mode;

    /** @param mode permissions, such as 0644 */
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
