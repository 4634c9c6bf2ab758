package dev.mooring.api.auth;

import java.util.List;
import java.util.Optional;

/**
 * An authenticated user. Immutable; does not contain the token.
 *
 * @param name also the actor of the events that this user causes
 * @param uid of the service account; else empty
 * @param since revision of the last write to the token or its service account, which gave the user these permissions
 */
public record User(String name, String uid, List<String> groups, Grant grant, long since) {
    static final String NODE_PREFIX = "system:node:";
    static final String SYSTEM_PREFIX = "system:";
    private static final String AUTHENTICATED = "system:authenticated";

    public User {
        groups = List.copyOf(groups);
    }

    /** Returns a person, a program or a node; the name of a node starts with {@code system:node:}. */
    public static User of(String name, Grant grant) {
        List<String> groups = switch (grant.role()) {
            case ADMIN -> List.of("system:masters", AUTHENTICATED);
            case NODE -> List.of("system:nodes", AUTHENTICATED);
            case EDIT, VIEW, NONE -> List.of(AUTHENTICATED);
        };
        return new User(name, "", groups, grant, 0);
    }

    static User serviceAccount(String namespace, String name, String uid, Grant grant) {
        return new User(
                serviceAccountName(namespace, name),
                uid,
                List.of("system:serviceaccounts", "system:serviceaccounts:" + namespace, AUTHENTICATED),
                grant,
                0);
    }

    /** Returns a client without a token; clients of one address are one user. */
    public static User anonymous(String address) {
        return new User("system:anonymous:" + address, "", List.of("system:unauthenticated"), Grant.NOTHING, 0);
    }

    User since(long revision) {
        return new User(name, uid, groups, grant, revision);
    }

    static String serviceAccountName(String namespace, String name) {
        return "system:serviceaccount:" + namespace + ':' + name;
    }

    public boolean isAdmin() {
        return grant.role() == Role.ADMIN;
    }

    /** Returns the node name if the user is a node's agent. */
    public Optional<String> nodeName() {
        return grant.role() == Role.NODE && name.startsWith(NODE_PREFIX)
                ? Optional.of(name.substring(NODE_PREFIX.length()))
                : Optional.empty();
    }
}
