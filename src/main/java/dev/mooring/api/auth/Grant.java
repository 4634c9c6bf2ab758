package dev.mooring.api.auth;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A role and where it holds. What is not granted is denied: no namespaces means none, and all of them is said with {@value #EVERYWHERE}.
 * Immutable.
 */
public record Grant(Role role, Set<String> namespaces) {
    /** Stands for all namespaces, those to come included, and for what is in none. */
    public static final String EVERYWHERE = "*";

    static final Grant NOTHING = new Grant(Role.NONE, Set.of());

    public Grant {
        namespaces = Set.copyOf(namespaces);
    }

    /** A grant as a token says it. To name no namespace is to look everywhere, but to change things nowhere. */
    static Grant of(Role role, Collection<String> named) {
        return switch (role) {
            case ADMIN, NODE -> everywhere(role);
            case VIEW -> named.isEmpty() ? everywhere(role) : new Grant(role, Set.copyOf(named));
            case EDIT -> new Grant(role, Set.copyOf(named));
            case NONE -> NOTHING;
        };
    }

    static Grant everywhere(Role role) {
        return new Grant(role, Set.of(EVERYWHERE));
    }

    public boolean isEverywhere() {
        return namespaces.contains(EVERYWHERE);
    }

    public boolean covers(String namespace) {
        return namespaces.contains(namespace) || isEverywhere();
    }

    /** In an order that does not change. */
    List<String> sortedNamespaces() {
        return namespaces.stream().sorted().toList();
    }
}
