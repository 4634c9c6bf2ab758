package dev.mooring.api.auth;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A role and the namespaces in which it applies. Everything else is denied: an empty set means no namespace,
 * {@value #EVERYWHERE} means all. Immutable.
 */
public record Grant(Role role, Set<String> namespaces) {
    /** All namespaces, including future ones, and cluster-scoped resources. */
    public static final String EVERYWHERE = "*";

    public static final Grant NOTHING = new Grant(Role.NONE, Set.of());

    public Grant {
        namespaces = Set.copyOf(namespaces);
    }

    /**
     * Returns the grant of a token. Without namespaces, the view role applies everywhere and a role that can write
     * applies nowhere.
     */
    static Grant of(Role role, Collection<String> named) {
        return switch (role) {
            case ADMIN, NODE -> everywhere(role);
            case VIEW -> named.isEmpty() ? everywhere(role) : new Grant(role, Set.copyOf(named));
            case EDIT -> new Grant(role, Set.copyOf(named));
            case NONE -> NOTHING;
        };
    }

    /** Returns a role in all namespaces. */
    public static Grant everywhere(Role role) {
        return new Grant(role, Set.of(EVERYWHERE));
    }

    public boolean isEverywhere() {
        return namespaces.contains(EVERYWHERE);
    }

    public boolean covers(String namespace) {
        return namespaces.contains(namespace) || isEverywhere();
    }

    /** Returns the namespaces in a stable order. */
    List<String> sortedNamespaces() {
        return namespaces.stream().sorted().toList();
    }
}
