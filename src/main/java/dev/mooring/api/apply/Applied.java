package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** What came of applying a configuration. */
public sealed interface Applied {

    /**
     * It was merged.
     *
     * @param object the object with it, managedFields included; nobody else's
     * @param changed whether the object differs from the one that was there, be it only in who owns what
     */
    record Merged(ObjectNode object, boolean changed) implements Applied {}

    /**
     * Others own fields that it would change. To be answered with 409, reason Conflict.
     *
     * @param conflicts at least one, those with the same owner next to each other
     */
    record Conflicted(List<FieldConflict> conflicts) implements Applied {
        public Conflicted {
            conflicts = List.copyOf(conflicts);
        }

        /** Message of the Status. */
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
     * It cannot be merged.
     *
     * @param code of the answer: 400, or 500 where Kubernetes has no better one
     * @param message of the Status
     */
    record Rejected(int code, String message) implements Applied {}
}
