package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import java.util.Optional;

/**
 * How something is to be deleted.
 *
 * @param graceSeconds how long a Pod may take to end; nothing for what the Pod itself says
 * @param uid the object must have, or ""
 * @param resourceVersion the object must have, or ""
 */
public record DeleteOptions(Optional<Long> graceSeconds, String uid, String resourceVersion, Propagation propagation) {
    /** What becomes of objects that name the deleted one as their owner. */
    public enum Propagation {
        /** They are deleted afterwards. */
        BACKGROUND("", "Background"),
        /** They are deleted first. */
        FOREGROUND("foregroundDeletion", "Foreground"),
        /** They stay, without this owner. */
        ORPHAN("orphan", "Orphan");

        private final String finalizer;
        private final String text;

        Propagation(String finalizer, String text) {
            this.finalizer = finalizer;
            this.text = text;
        }

        /** What holds the owner until it is done; "" for none. */
        String finalizer() {
            return finalizer;
        }

        static Propagation named(String text) {
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

    /** From a body of kind DeleteOptions. */
    public static DeleteOptions of(ObjectNode body) {
        JsonNode grace = body.path("gracePeriodSeconds");
        if (!grace.isMissingNode() && !grace.isNull() && !grace.canConvertToLong()) {
            throw new StatusException(Status.badRequest("gracePeriodSeconds of DeleteOptions must be a number"));
        }
        JsonNode preconditions = body.path("preconditions");
        return new DeleteOptions(
                grace.isNumber() ? Optional.of(grace.asLong()) : Optional.empty(),
                Json.text(preconditions, "uid"),
                Json.text(preconditions, "resourceVersion"),
                propagation(body));
    }

    private static Propagation propagation(ObjectNode body) {
        if (body.path("orphanDependents").asBoolean(false)) {
            return Propagation.ORPHAN;
        }
        String policy = Json.text(body, "propagationPolicy");
        return policy.isEmpty() ? Propagation.BACKGROUND : Propagation.named(policy);
    }
}
