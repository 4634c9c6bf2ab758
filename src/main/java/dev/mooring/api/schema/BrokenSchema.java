package dev.mooring.api.schema;

/**
 * A schema file that cannot be understood. The files are part of the program, so this is a mistake of its authors; the message
 * begins with file and line ({@code pod.schema:12: Expected …, but …}).
 */
public final class BrokenSchema extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    BrokenSchema(Place place, String message) {
        super(place + ": " + message);
    }

    /** Where in the files something is written. */
    record Place(String file, int line) {
        @Override
        public String toString() {
            return file + ":" + line;
        }
    }
}
