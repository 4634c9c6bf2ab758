package dev.mooring.api.auth;

/** The result of an authorization. */
public sealed interface AuthorizationDecision {
    /** @param reason explanation for users */
    record Allowed(String reason) implements AuthorizationDecision {}

    /** @param message the complete message of the 403, as in Kubernetes */
    record Denied(String message) implements AuthorizationDecision {}

    default boolean isAllowed() {
        return this instanceof Allowed;
    }
}
