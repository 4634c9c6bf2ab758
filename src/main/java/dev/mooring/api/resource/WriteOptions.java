package dev.mooring.api.resource;

import dev.mooring.api.auth.User;

/**
 * The options of a write.
 *
 * @param user the requesting user
 * @param manager field manager in {@code managedFields}
 * @param request id of the request in the log
 */
public record WriteOptions(User user, String manager, String request, Mode mode, FieldValidation validation) {
    /** Whether the write is a dry run. */
    public enum Mode {
        COMMIT,
        DRY_RUN
    }

    /** How unknown and duplicate fields are handled. */
    public enum FieldValidation {
        IGNORE,
        WARN,
        STRICT
    }

    /** Returns the actor in the event log. */
    public String actor() {
        return user.name();
    }

    public boolean isDryRun() {
        return mode == Mode.DRY_RUN;
    }
}
