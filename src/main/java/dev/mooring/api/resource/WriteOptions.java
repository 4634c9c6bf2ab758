package dev.mooring.api.resource;

/**
 * How a change is to be made.
 *
 * @param actor the authenticated user
 * @param manager who owns the fields that are written, in {@code managedFields}
 * @param request identifies the request in the log
 */
public record WriteOptions(String actor, String manager, String request, Mode mode, FieldValidation validation) {
    /** Whether it is only tried. */
    public enum Mode {
        COMMIT,
        DRY_RUN
    }

    /** What to do about fields that are unknown or come twice. */
    public enum FieldValidation {
        IGNORE,
        WARN,
        STRICT
    }

    public boolean isDryRun() {
        return mode == Mode.DRY_RUN;
    }
}
