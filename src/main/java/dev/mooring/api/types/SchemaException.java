package dev.mooring.api.types;

/**
 * An invalid schema file. The files are part of the program, so this is a programming error; the message starts with
 * file and line ({@code pod.schema:12: Expected …, but …}).
 */
public final class SchemaException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    SchemaException(SourceLocation place, String message) {
        super(place + ": " + message);
    }

    /** A location in a schema file. */
    record SourceLocation(String file, int line) {
        @Override
        public String toString() {
            return file + ":" + line;
        }
    }
}
