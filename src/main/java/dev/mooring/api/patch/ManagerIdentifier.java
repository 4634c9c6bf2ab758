package dev.mooring.api.patch;

import java.util.Comparator;

/**
 * Identifies an entry in managedFields. An applier has one entry for all versions, an updater one per version.
 *
 * @param version of the entry of an updater; empty for an applier
 */
record ManagerIdentifier(String manager, ManagedFieldsOperation operation, String version, String subresource) {
    static final Comparator<ManagerIdentifier> ORDER = Comparator.comparing(ManagerIdentifier::manager)
            .thenComparing(ManagerIdentifier::operation)
            .thenComparing(ManagerIdentifier::version)
            .thenComparing(ManagerIdentifier::subresource);

    /** In the order of the entries. */
    enum ManagedFieldsOperation {
        APPLY("Apply"),
        UPDATE("Update");

        private final String text;

        ManagedFieldsOperation(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    static ManagerIdentifier applier(Manager manager) {
        return new ManagerIdentifier(manager.name(), ManagedFieldsOperation.APPLY, "", manager.subresource());
    }

    static ManagerIdentifier updater(Manager manager) {
        return new ManagerIdentifier(
                manager.name(), ManagedFieldsOperation.UPDATE, manager.apiVersion(), manager.subresource());
    }

    boolean isApply() {
        return operation == ManagedFieldsOperation.APPLY;
    }

    /** Formats the identifier for messages, as Kubernetes does: {@code "kubectl-edit" using v1}. */
    String format() {
        StringBuilder text = new StringBuilder();
        PathElement.quote(text, manager);
        if (!subresource.isEmpty()) {
            text.append(" with subresource ");
            PathElement.quote(text, subresource);
        }
        if (!isApply()) {
            text.append(" using ").append(version);
        }
        return text.toString();
    }
}
