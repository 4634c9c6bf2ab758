package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** The result of applying a configuration. */
public sealed interface ApplyResult {

    /**
     * The configuration was merged.
     *
     * @param object the resulting object with managedFields; a copy owned by the caller
     * @param changed whether it differs from the live object, even if only in field ownership
     */
    record Merged(ObjectNode object, boolean changed) implements ApplyResult {}

    /**
     * Other managers own fields that the configuration would change: 409, reason Conflict.
     *
     * @param conflicts at least one, grouped by owner
     */
    record Conflicted(List<FieldConflict> conflicts) implements ApplyResult {
        public Conflicted {
            conflicts = List.copyOf(conflicts);
        }

        /** Returns the message of the Status. */
        public String message() {
            if (conflicts.size() == 1) {
                FieldConflict only = conflicts.get(0);
                return "Apply failed with 1 conflict: " + only.message() + ": " + only.field();
            }
            List<String> lines = new ArrayList<>();
            String owner = "";
            for (FieldConflict conflict : conflicts) {
                if (!conflict.owner().equals(owner)) {
                    owner = conflict.owner();
                    lines.add("conflicts with " + owner + ":");
                }
                lines.add("- " + conflict.field());
            }
            return "Apply failed with " + conflicts.size() + " conflicts: " + String.join("\n", lines);
        }
    }

    /**
     * The configuration cannot be merged.
     *
     * @param code HTTP status: 400, or 500 where Kubernetes responds with 500
     * @param message of the Status
     */
    record Rejected(int code, String message) implements ApplyResult {}

    /**
     * A field whose value would change although another manager owns it.
     *
     * @param owner as Kubernetes prints it: {@code "kubectl-edit" using v1}
     * @param field {@code .spec.containers[name="c"].image}; the field of the Status cause
     */
    record FieldConflict(String owner, String field) {
        /** Reason of the Status cause. */
        public static final String REASON = "FieldManagerConflict";

        /** Message of the Status cause. */
        public String message() {
            return "conflict with " + owner;
        }
    }
}
