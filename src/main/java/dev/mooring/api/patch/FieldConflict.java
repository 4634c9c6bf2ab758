package dev.mooring.api.patch;

/**
 * A field whose value would change although another manager owns it.
 *
 * @param owner as Kubernetes prints it: {@code "kubectl-edit" using v1}
 * @param field {@code .spec.containers[name="c"].image}; the field of the Status cause
 */
public record FieldConflict(String owner, String field) {
    /** Reason of the Status cause. */
    public static final String REASON = "FieldManagerConflict";

    /** Message of the Status cause. */
    public String message() {
        return "conflict with " + owner;
    }
}
