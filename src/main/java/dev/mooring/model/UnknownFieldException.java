package dev.mooring.model;

/**
 * Thrown when a field selector uses a field that this kind does not support. The caller words the message, which
 * depends on the kind.
 */
public final class UnknownFieldException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;

    public UnknownFieldException(String field) {
        super("field label not supported: " + field);
        this.field = field;
    }

    /** Returns the field as the user wrote it. */
    public String field() {
        return field;
    }
}
