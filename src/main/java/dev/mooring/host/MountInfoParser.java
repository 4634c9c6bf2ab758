package dev.mooring.host;

import dev.mooring.host.MountTable.Mount;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parses {@code mountinfo} line by line, in place, because there may be ten thousand lines of the form
 * {@code id parent major:minor root point options [tag…] - type source options}. Not thread-safe.
 */
final class MountInfoParser {
    private static final String END_OF_TAGS = " - ";

    /** Suffix of the path of a removed directory; other paths contain no double slash. */
    private static final String REMOVED = "//deleted";

    /** Suffix that older kernels use, and all kernels for files. */
    private static final String REMOVED_FILE = " (deleted)";

    private final String text;
    private int at;
    private int end;

    MountInfoParser(String text) {
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
        // The position is after the space before the first tag or the dash.
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

    /** Returns the text up to the next space and skips the space. */
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

    /** Parses a number; -1 if it is not one. */
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

    /** Returns the options of the mount and then of its file system. Read-only if either is. */
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

    /**
     * Decodes octal escapes of space, tab, newline and backslash. They are bytes, several of which may form one
     * character.
     */
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
