package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import java.util.Optional;

/**
 * The options of a delete.
 *
 * @param graceSeconds grace period of a Pod; empty for the Pod's own
 * @param uid required uid of the object, or ""
 * @param resourceVersion required resourceVersion of the object, or ""
 */
public record DeleteOptions(Optional<Long> graceSeconds, String uid, String resourceVersion, Propagation propagation) {
    /** How dependents of the deleted object are handled. */
    public enum Propagation {
        /** Dependents are deleted afterwards. */
        BACKGROUND("", "Background"),
        /** Dependents are deleted first. */
        FOREGROUND("foregroundDeletion", "Foreground"),
        /** Dependents stay, without this owner. */
        ORPHAN("orphan", "Orphan");

        private final String finalizer;
        private final String text;

        Propagation(String finalizer, String text) {
            this.finalizer = finalizer;
            this.text = text;
        }

        /** Returns the finalizer that keeps the owner until its dependents are handled; "" for none. */
        String finalizer() {
            return finalizer;
        }

        static Propagation parse(String text) {
            for (Propagation each : values()) {
                if (each.text.equals(text)) {
                    return each;
                }
            }
            throw new StatusException(new Status(
                    422,
                    "Invalid",
                    "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"" + text
                            + "\": supported values: \"Background\", \"Foreground\", \"Orphan\""));
        }
    }

    public static final DeleteOptions DEFAULT = new DeleteOptions(Optional.empty(), "", "", Propagation.BACKGROUND);

    /** Parses a body of kind DeleteOptions. */
    public static DeleteOptions of(ObjectNode body) {
        JsonNode grace = body.path("gracePeriodSeconds");
        if (!grace.isMissingNode() && !grace.isNull() && !grace.canConvertToLong()) {
            throw new StatusException(Status.badRequest("gracePeriodSeconds of DeleteOptions must be a number"));
        }
        JsonNode preconditions = body.path("preconditions");
        return new DeleteOptions(
                grace.isNumber() ? Optional.of(grace.asLong()) : Optional.empty(),
                ObjectJson.text(preconditions, "uid"),
                ObjectJson.text(preconditions, "resourceVersion"),
                propagation(body));
    }

    private static Propagation propagation(ObjectNode body) {
        if (body.path("orphanDependents").asBoolean(false)) {
            return Propagation.ORPHAN;
        }
        String policy = ObjectJson.text(body, "propagationPolicy");
        return policy.isEmpty() ? Propagation.BACKGROUND : Propagation.parse(policy);
    }
}
