package dev.mooring.volume.path;

import dev.mooring.volume.path.MountTable.Mount;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads one line after the other of {@code mountinfo}, in place: there may be ten thousand. A line is {@code id parent major:minor root
 * point options [tag…] - type source options}. Not for several threads at once.
 */
final class MountLine {
    private static final String END_OF_TAGS = " - ";

    /** What the kernel appends to the path of a directory that was removed; no path holds two slashes otherwise. */
    private static final String REMOVED = "//deleted";

    /** What older ones append, and others to files. */
    private static final String REMOVED_FILE = " (deleted)";

    private final String text;
    private int at;
    private int end;

    MountLine(String text) {
        this.text = text;
    }

    Optional<Mount> read(int lineStart, int lineEnd) {
        at = lineStart;
        end = lineEnd;
        int id = number();
        int parent = number();
        String device = field();
        String root = field();
        String point = field();
        int optionsFrom = at;
        field();
        int optionsTo = at - 1;
        // The space before the first tag, or before the dash, has just been passed.
        int dash = text.indexOf(END_OF_TAGS, at - 1);
        if (id < 0 || parent < 0 || dash < 0 || dash + END_OF_TAGS.length() >= end) {
            return Optional.empty();
        }
        at = dash + END_OF_TAGS.length();
        String type = field();
        String source = unescaped(field());
        if (type.isEmpty() || point.isEmpty() || at > end + 1) {
            return Optional.empty();
        }
        List<String> options = options(optionsFrom, optionsTo, at, end);
        return Optional.of(new Mount(
                id,
                parent,
                device,
                without(REMOVED, unescaped(root)),
                without(REMOVED_FILE, without(REMOVED, unescaped(point))),
                options,
                type,
                without(REMOVED_FILE, source)));
    }

    /** Up to the next space, which is passed. */
    private String field() {
        if (at >= end) {
            at = end + 1;
            return "";
        }
        int space = text.indexOf(' ', at);
        int to = space < 0 || space > end ? end : space;
        String field = text.substring(at, to);
        at = to + 1;
        return field;
    }

    /** -1 if it is none. */
    private int number() {
        int value = 0;
        int digits = 0;
        for (; at < end && text.charAt(at) >= '0' && text.charAt(at) <= '9'; at++) {
            value = value * 10 + (text.charAt(at) - '0');
            digits++;
        }
        boolean whole = digits > 0 && at < end && text.charAt(at) == ' ';
        at++;
        return whole ? value : -1;
    }

    /** Of this mount, then those of its file system; a mount or a file system that is read-only makes it so. */
    private List<String> options(int from, int to, int moreFrom, int moreTo) {
        List<String> options = new ArrayList<>();
        add(options, from, to);
        add(options, Math.min(moreFrom, moreTo), moreTo);
        if (options.contains("ro")) {
            options.remove("rw");
        }
        return options;
    }

    private void add(List<String> options, int from, int to) {
        int start = from;
        while (start < to) {
            int comma = text.indexOf(',', start);
            int stop = comma < 0 || comma > to ? to : comma;
            String option = unescaped(text.substring(start, stop));
            if (!option.isEmpty() && !options.contains(option)) {
                options.add(option);
            }
            start = stop + 1;
        }
    }

    private static String without(String ending, String path) {
        return path.endsWith(ending) ? path.substring(0, path.length() - ending.length()) : path;
    }

    /** Space, tab, newline and backslash stand there as three octal digits: bytes, of which some may make one letter. */
    private static String unescaped(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream plain = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\\' && isOctal(bytes, i + 1)) {
                plain.write((bytes[i + 1] - '0') << 6 | (bytes[i + 2] - '0') << 3 | (bytes[i + 3] - '0'));
                i += 3;
            } else {
                plain.write(bytes[i]);
            }
        }
        return plain.toString(StandardCharsets.UTF_8);
    }

    private static boolean isOctal(byte[] bytes, int from) {
        for (int i = from; i < from + 3; i++) {
            if (i >= bytes.length || bytes[i] < '0' || bytes[i] > '7') {
                return false;
            }
        }
        return true;
    }
}
