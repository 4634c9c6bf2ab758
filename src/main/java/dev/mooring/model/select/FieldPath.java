package dev.mooring.model.select;

import java.util.List;

/**
 * Where a value stands in an object: the names of the fields on the way, from the outside.
 *
 * @param names at least one
 */
public record FieldPath(List<String> names) {
    public FieldPath {
        names = List.copyOf(names);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("Expected a path with at least one name, but it has none");
        }
    }

    /** Reads {@code status.phase}. */
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
