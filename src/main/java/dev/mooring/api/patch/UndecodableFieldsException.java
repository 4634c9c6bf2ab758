package dev.mooring.api.patch;

/** A field set or an entry of {@code managedFields} cannot be decoded. */
final class UndecodableFieldsException extends Exception {
    private static final long serialVersionUID = 1L;

    UndecodableFieldsException(String message) {
        super(message);
    }

    UndecodableFieldsException(String message, Throwable cause) {
        super(message, cause);
    }
}
