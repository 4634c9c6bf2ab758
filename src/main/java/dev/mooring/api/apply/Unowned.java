package dev.mooring.api.apply;

import dev.mooring.api.schema.Type.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Fields that nobody owns: those the server writes itself, and those that a write through this part of the API does not reach.
 *
 * @param top names of fields of the object
 * @param unreachable those of them that a write does not reach
 */
record Unowned(Set<String> top, Set<String> unreachable) {
    private static final Set<String> OF_METADATA = Set.of(
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion");

    /** What the server takes out of the set of whoever wrote it. */
    static final FieldSet OF_THE_SERVER = ofTheServer();

    private static final Unowned BY_NOBODY = new Unowned(Set.of("apiVersion", "kind"), Set.of());
    private static final Unowned WITH_STATUS = new Unowned(Set.of("apiVersion", "kind", "status"), Set.of("status"));
    private static final Unowned WITH_SPEC = new Unowned(Set.of("apiVersion", "kind", "spec"), Set.of("spec"));

    /** A write of the object itself leaves its status alone, a write of the status the rest. */
    static Unowned by(Manager manager, Struct type) {
        if (manager.subresource().isEmpty() && type.field("status").isPresent()) {
            return WITH_STATUS;
        }
        return manager.subresource().equals("status") ? WITH_SPEC : BY_NOBODY;
    }

    static Unowned byNobody() {
        return BY_NOBODY;
    }

    /** Names of fields to skip below this field of the object. */
    static Set<String> below(String top) {
        return top.equals("metadata") ? OF_METADATA : Set.of();
    }

    /** Clients write the fields of the server as null where their own types have them and they say nothing. */
    static boolean isOfTheServer(String nameInMetadata) {
        return OF_METADATA.contains(nameInMetadata);
    }

    private static FieldSet ofTheServer() {
        List<List<String>> paths = new ArrayList<>();
        paths.add(List.of("f:apiVersion"));
        paths.add(List.of("f:kind"));
        paths.add(List.of("f:metadata"));
        OF_METADATA.forEach(name -> paths.add(List.of("f:metadata", PathElement.field(name))));
        return FieldSet.of(paths);
    }
}
