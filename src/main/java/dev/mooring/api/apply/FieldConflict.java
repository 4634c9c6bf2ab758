package dev.mooring.api.apply;

/**
 * A field that would get another value than the one its owner gave it.
 *
 * @param owner as Kubernetes prints it: {@code "kubectl-edit" using v1}
 * @param field {@code .spec.containers[name="c"].image}; goes into the Status cause
 */
public record FieldConflict(String owner, String field) {
    /** Reason of the Status cause. */
    public static final String REASON = "FieldManagerConflict";

    /** Message of the Status cause. */
    public String message() {
        return "conflict with " + owner;
    }
}
