package dev.mooring.api.auth;

import java.util.Optional;

/** The role of a user. {@link RolePolicy} defines its permissions. */
public enum Role {
    /** Full access. */
    ADMIN("admin"),
    /** Manages claims and Pods in some namespaces. */
    EDIT("edit"),
    /** Reads everything except Secrets. */
    VIEW("view"),
    /** The agent of a node. */
    NODE("node"),
    /** Can only query its own identity: a service account without a role. */
    NONE("none");

    private final String text;

    Role(String text) {
        this.text = text;
    }

    /** Returns the name in tokens and annotations. */
    public String text() {
        return text;
    }

    /** Returns the assignable role of this name; {@link #NONE} is not assignable. */
    public static Optional<Role> parse(String text) {
        return switch (text) {
            case "admin" -> Optional.of(ADMIN);
            case "edit" -> Optional.of(EDIT);
            case "view" -> Optional.of(VIEW);
            case "node" -> Optional.of(NODE);
            default -> Optional.empty();
        };
    }
}
