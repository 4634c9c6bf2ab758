package dev.mooring.api.auth;

import java.util.Optional;

/** What a user is for. What that lets them do is in {@link Policy}. */
public enum Role {
    /** Everything. */
    ADMIN("admin"),
    /** Works with claims and Pods in some namespaces. */
    EDIT("edit"),
    /** Looks, but not at secrets. */
    VIEW("view"),
    /** The agent of a node. */
    NODE("node"),
    /** Knows who it is, and nothing more: a service account to which nobody gave a role. */
    NONE("none");

    private final String text;

    Role(String text) {
        this.text = text;
    }

    /** As tokens and annotations spell it. */
    public String text() {
        return text;
    }

    /** The role that somebody can be given under this name; {@link #NONE} cannot be given. */
    public static Optional<Role> named(String text) {
        return switch (text) {
            case "admin" -> Optional.of(ADMIN);
            case "edit" -> Optional.of(EDIT);
            case "view" -> Optional.of(VIEW);
            case "node" -> Optional.of(NODE);
            default -> Optional.empty();
        };
    }
}
