package dev.mooring.model;

import java.util.List;

/**
 * The path of a field in an object, outermost name first.
 *
 * @param names at least one
 */
public record FieldPath(List<String> names) {
    public FieldPath {
        names = List.copyOf(names);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("Field path must have at least one name");
        }
    }

    /** Parses a path such as {@code status.phase}. */
    public static FieldPath of(String dotted) {
        return new FieldPath(List.of(dotted.split("\\.", -1)));
    }

    public static FieldPath ofLabel(String key) {
        return new FieldPath(List.of("metadata", "labels", key));
    }

    @Override
    public String toString() {
        return String.join(".", names);
    }
}
