package dev.mooring.api.apply;

import java.util.Comparator;

/**
 * Whose entry in managedFields it is. An applier is the same whichever version it applies; an updater is not.
 *
 * @param version of the entry of an updater; empty for an applier
 */
record Writer(String manager, Operation operation, String version, String subresource) {
    static final Comparator<Writer> ORDER = Comparator.comparing(Writer::manager)
            .thenComparing(Writer::operation)
            .thenComparing(Writer::version)
            .thenComparing(Writer::subresource);

    /** In the order in which the entries stand. */
    enum Operation {
        APPLY("Apply"),
        UPDATE("Update");

        private final String text;

        Operation(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    static Writer applying(Manager manager) {
        return new Writer(manager.name(), Operation.APPLY, "", manager.subresource());
    }

    static Writer updating(Manager manager) {
        return new Writer(manager.name(), Operation.UPDATE, manager.apiVersion(), manager.subresource());
    }

    boolean applies() {
        return operation == Operation.APPLY;
    }

    /** For people, as Kubernetes puts it: {@code "kubectl-edit" using v1}. */
    String shown() {
        StringBuilder text = new StringBuilder();
        PathElement.quote(text, manager);
        if (!subresource.isEmpty()) {
            text.append(" with subresource ");
            PathElement.quote(text, subresource);
        }
        if (!applies()) {
            text.append(" using ").append(version);
        }
        return text.toString();
    }
}
