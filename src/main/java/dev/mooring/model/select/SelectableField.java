package dev.mooring.model.select;

import java.util.List;

/**
 * A field that objects of a kind can be selected by.
 *
 * @param name as it is written in a field selector: {@code spec.unschedulable}
 * @param paths where its value stands; where there are several, the first that is not empty counts
 * @param otherwise the value of objects that have it nowhere, mostly ""
 */
public record SelectableField(String name, List<FieldPath> paths, String otherwise) {
    public SelectableField {
        paths = List.copyOf(paths);
    }

    /** A field that stands where its name says. */
    public static SelectableField of(String name) {
        return of(name, "");
    }

    /** A field that stands where its name says, with the value that Kubernetes sees where there is none, such as "false". */
    public static SelectableField of(String name, String otherwise) {
        return new SelectableField(name, List.of(FieldPath.of(name)), otherwise);
    }
}
