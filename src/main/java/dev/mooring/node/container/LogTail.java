package dev.mooring.node.container;

import java.nio.charset.StandardCharsets;

/** Returns the end of a container's log, which replaces a missing termination message. Stateless. */
final class LogTail {
    private static final int MAX_LINES = 80;
    private static final int MAX_BYTES = 2048;

    private LogTail() {}

    /** Returns the last lines, limited to the last bytes; does not split characters. */
    static String of(String log) {
        int end = log.endsWith("\n") ? log.length() - 1 : log.length();
        int from = end;
        for (int lines = 0; lines < MAX_LINES && from >= 0; lines++) {
            from = from == 0 ? -1 : log.lastIndexOf('\n', from - 1);
        }
        return lastBytes(log.substring(from + 1));
    }

    private static String lastBytes(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int from = Math.max(0, bytes.length - MAX_BYTES);
        while (from > 0 && from < bytes.length && (bytes[from] & 0xc0) == 0x80) {
            from++;
        }
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }
}
