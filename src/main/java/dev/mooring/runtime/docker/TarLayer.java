package dev.mooring.runtime.docker;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A tar archive with one small program, as the layer of an image. Reproducible, so that the image has a stable digest.
 * (Own code: fifty lines instead of a library of half a megabyte.)
 */
final class TarLayer {
    private static final int BLOCK = 512;
    private static final int CHECKSUM_AT = 148;
    private static final int CHECKSUM_DIGITS = 6;

    private TarLayer() {}

    /** Returns an archive with a program that root owns and all users can execute. */
    static byte[] ofProgram(String name, byte[] program) {
        int blocks = (program.length + BLOCK - 1) / BLOCK;
        // One block for the header, and two empty ones at the end.
        ByteBuffer out = ByteBuffer.allocate((1 + blocks + 2) * BLOCK);
        out.put(header(name, program.length)).put(program);
        return out.array();
    }

    private static byte[] header(String name, int size) {
        ByteBuffer out = ByteBuffer.allocate(BLOCK);
        field(out, 100, name);
        field(out, 8, octal(0755, 7));
        field(out, 8, octal(0, 7)); //     user
        field(out, 8, octal(0, 7)); //     group
        field(out, 12, octal(size, 11));
        field(out, 12, octal(0, 11)); // modified in 1970
        field(out, 8, "        "); // the checksum is computed with spaces in its place
        field(out, 1, "0"); //             a regular file
        field(out, 100, ""); //            no link
        field(out, 6, "ustar");
        field(out, 2, "00");
        byte[] header = out.array();
        int sum = 0;
        for (byte value : header) {
            sum += value & 0xFF;
        }
        byte[] digits = octal(sum, CHECKSUM_DIGITS).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, header, CHECKSUM_AT, CHECKSUM_DIGITS);
        header[CHECKSUM_AT + CHECKSUM_DIGITS] = 0;
        return header;
    }

    private static void field(ByteBuffer out, int length, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length > length) {
            throw new IllegalArgumentException("field must have at most " + length + " bytes, got " + text);
        }
        int end = out.position() + length;
        out.put(bytes).position(end);
    }

    private static String octal(long value, int digits) {
        String text = Long.toOctalString(value);
        return "0".repeat(digits - text.length()) + text;
    }
}
