package dev.mooring.api.auth;

/** Whether somebody may do something. */
public sealed interface Decision {
    /** @param reason for people who ask why */
    record Allowed(String reason) implements Decision {}

    /** @param message all of what the 403 says, in Kubernetes' words */
    record Denied(String message) implements Decision {}

    default boolean isAllowed() {
        return this instanceof Allowed;
    }
}
