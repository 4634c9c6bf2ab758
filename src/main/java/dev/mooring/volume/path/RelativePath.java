package dev.mooring.volume.path;

import java.util.List;
import java.util.Optional;

/**
 * A way down from a directory: one or more plain names. Cannot be absolute, cannot hold {@code .}, {@code ..}, an empty name or a
 * zero byte; so by its words alone it cannot lead out. (That no link on the way leads out is the business of {@link Directory}.)
 * Immutable.
 */
public record RelativePath(List<String> names) {
    private static final int MAX_LENGTH = 1024;
    private static final int MAX_NAME = 255;

    public RelativePath {
        names = List.copyOf(names);
        problem(names).ifPresent(problem -> {
            throw new IllegalArgumentException("Expected a relative path of plain names, but " + problem);
        });
    }

    public static RelativePath of(String path) {
        if (path.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "Expected a path of at most " + MAX_LENGTH + " characters, but found " + path.length());
        }
        return new RelativePath(List.of(path.split("/", -1)));
    }

    private static Optional<String> problem(List<String> names) {
        if (names.isEmpty()) {
            return Optional.of("found nothing");
        }
        String whole = String.join("/", names);
        for (String name : names) {
            if (name.isEmpty() || name.equals(".") || name.equals("..")) {
                return Optional.of("\"" + whole + "\" is absolute or has an empty, \".\" or \"..\" part");
            }
            if (name.indexOf('\0') >= 0 || name.indexOf('/') >= 0 || name.length() > MAX_NAME) {
                return Optional.of("\"" + whole.replace("\0", "\\0") + "\" has a part that is no file name");
            }
        }
        return Optional.empty();
    }

    public String last() {
        return names.get(names.size() - 1);
    }

    /** All names but the last. */
    public List<String> parents() {
        return names.subList(0, names.size() - 1);
    }

    @Override
    public String toString() {
        return String.join("/", names);
    }
}
