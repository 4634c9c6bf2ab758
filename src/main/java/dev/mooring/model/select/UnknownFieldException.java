package dev.mooring.model.select;

/** A field selector names a field that objects of this kind cannot be selected by. How to word it depends on the kind. */
public final class UnknownFieldException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;

    public UnknownFieldException(String field) {
        super("field label not supported: " + field);
        this.field = field;
    }

    /** As the user wrote it. */
    public String field() {
        return field;
    }
}
