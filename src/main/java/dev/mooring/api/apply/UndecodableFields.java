package dev.mooring.api.apply;

/** A set of fields, or an entry of {@code managedFields}, that somebody wrote in a way that cannot be read. */
final class UndecodableFields extends Exception {
    private static final long serialVersionUID = 1L;

    UndecodableFields(String message) {
        super(message);
    }

    UndecodableFields(String message, Throwable cause) {
        super(message, cause);
    }
}
