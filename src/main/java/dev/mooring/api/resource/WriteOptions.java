package dev.mooring.api.resource;

import dev.mooring.api.auth.User;

/**
 * How a change is to be made.
 *
 * @param user who asks
 * @param manager who owns the fields that are written, in {@code managedFields}
 * @param request identifies the request in the log
 */
public record WriteOptions(User user, String manager, String request, Mode mode, FieldValidation validation) {
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

    /** As the log calls who asks. */
    public String actor() {
        return user.name();
    }

    public boolean isDryRun() {
        return mode == Mode.DRY_RUN;
    }
}
