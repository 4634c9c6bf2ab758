package dev.mooring.api.patch;

import dev.mooring.api.types.SchemaType.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Fields without an owner: fields that the server sets, and fields that a write through this subresource does not
 * change.
 *
 * @param top names of top-level fields
 * @param unreachable those of them that a write does not change
 */
record UnownedFields(Set<String> top, Set<String> unreachable) {
    private static final Set<String> SERVER_METADATA = Set.of(
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion");

    /** Fields that the server removes from every manager's set. */
    static final FieldSet SERVER_MANAGED = serverManaged();

    private static final UnownedFields SERVER_MANAGED_ONLY = new UnownedFields(Set.of("apiVersion", "kind"), Set.of());
    private static final UnownedFields WITH_STATUS =
            new UnownedFields(Set.of("apiVersion", "kind", "status"), Set.of("status"));
    private static final UnownedFields WITH_SPEC =
            new UnownedFields(Set.of("apiVersion", "kind", "spec"), Set.of("spec"));

    /**
     * Returns the unowned fields: a write of the object itself does not change its status, a write of the status
     * nothing else.
     */
    static UnownedFields forManager(Manager manager, Struct type) {
        if (manager.subresource().isEmpty() && type.field("status").isPresent()) {
            return WITH_STATUS;
        }
        return manager.subresource().equals("status") ? WITH_SPEC : SERVER_MANAGED_ONLY;
    }

    static UnownedFields serverManagedOnly() {
        return SERVER_MANAGED_ONLY;
    }

    /** Returns the names of fields to skip below this top-level field. */
    static Set<String> skippedBelow(String top) {
        return top.equals("metadata") ? SERVER_METADATA : Set.of();
    }

    /**
     * Returns whether the server sets this metadata field; clients send such fields as null if their types contain
     * them.
     */
    static boolean isServerManaged(String nameInMetadata) {
        return SERVER_METADATA.contains(nameInMetadata);
    }

    private static FieldSet serverManaged() {
        List<List<String>> paths = new ArrayList<>();
        paths.add(List.of("f:apiVersion"));
        paths.add(List.of("f:kind"));
        paths.add(List.of("f:metadata"));
        SERVER_METADATA.forEach(name -> paths.add(List.of("f:metadata", PathElement.field(name))));
        return FieldSet.of(paths);
    }
}
