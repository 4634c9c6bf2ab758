package dev.mooring.host;

import java.util.List;
import java.util.Optional;

/**
 * A relative path of one or more plain names. It cannot be absolute or contain {@code .}, {@code ..}, an empty name or
 * a zero byte, so it cannot lead outside of its base. ({@link OpenDirectory} handles symbolic links.) Immutable.
 */
public record RelativePath(List<String> names) {
    private static final int MAX_LENGTH = 1024;
    private static final int MAX_NAME = 255;

    public RelativePath {
        names = List.copyOf(names);
        problem(names).ifPresent(problem -> {
            throw new IllegalArgumentException("path must be relative and consist of plain names: " + problem);
        });
    }

    public static RelativePath of(String path) {
        if (path.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "path must have at most " + MAX_LENGTH + " characters, got " + path.length());
        }
        return new RelativePath(List.of(path.split("/", -1)));
    }

    private static Optional<String> problem(List<String> names) {
        if (names.isEmpty()) {
            return Optional.of("it is empty");
        }
        String whole = String.join("/", names);
        for (String name : names) {
            if (name.isEmpty() || name.equals(".") || name.equals("..")) {
                return Optional.of("\"" + whole + "\" is absolute or has an empty, \".\" or \"..\" part");
            }
            if (name.indexOf('\0') >= 0 || name.indexOf('/') >= 0 || name.length() > MAX_NAME) {
                return Optional.of("\"" + whole.replace("\0", "\\0") + "\" has a part that is not a file name");
            }
        }
        return Optional.empty();
    }

    public String last() {
        return names.get(names.size() - 1);
    }

    /** Returns all names but the last. */
    public List<String> parents() {
        return names.subList(0, names.size() - 1);
    }

    @Override
    public String toString() {
        return String.join("/", names);
    }
}
