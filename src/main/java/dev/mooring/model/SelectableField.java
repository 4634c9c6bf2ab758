package dev.mooring.model;

import java.util.List;

/**
 * A field by which objects of a kind can be selected.
 *
 * @param name as in a field selector: {@code spec.unschedulable}
 * @param paths of its value; the first non-empty one is used
 * @param defaultValue the value if all are empty, usually ""
 */
public record SelectableField(String name, List<FieldPath> paths, String defaultValue) {
    public SelectableField {
        paths = List.copyOf(paths);
    }

    /** Returns a field whose path is its name. */
    public static SelectableField of(String name) {
        return of(name, "");
    }

    /** Returns a field whose path is its name, with Kubernetes' default value, such as "false". */
    public static SelectableField of(String name, String otherwise) {
        return new SelectableField(name, List.of(FieldPath.of(name)), otherwise);
    }
}
