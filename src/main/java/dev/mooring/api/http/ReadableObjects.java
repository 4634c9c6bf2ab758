package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.User;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Scope;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The objects of a kind that a user may list: all, or those in some namespaces. A Namespace is in itself.
 *
 * @param granted namespaces of the user; empty for all
 */
record ReadableObjects(KindDefinition kind, Optional<Set<String>> granted) {
    private static final String NAMESPACES = "namespaces";

    /**
     * Returns the objects that a user may list. Omits kinds of which the user may list nothing.
     *
     * @throws StatusException 403 if the user may list none of the kinds
     */
    static List<ReadableObjects> of(Authorizer authorizer, User user, Collection<KindDefinition> kinds) {
        List<ReadableObjects> readable = new ArrayList<>();
        Optional<Status> refusal = Optional.empty();
        for (KindDefinition kind : kinds) {
            Attributes.Resource list = Attributes.resource(
                    "list", kind.names().group(), kind.names().plural());
            if (authorizer.decide(user, list) instanceof Authorizer.AuthorizationDecision.Denied denied) {
                refusal = refusal.or(() -> Optional.of(Status.forbidden(denied.message())));
                Set<String> granted = granted(authorizer, user, kind, list);
                if (!granted.isEmpty()) {
                    readable.add(new ReadableObjects(kind, Optional.of(granted)));
                }
            } else {
                readable.add(new ReadableObjects(kind, Optional.empty()));
            }
        }
        if (readable.isEmpty()) {
            throw new StatusException(refusal.orElseThrow());
        }
        return readable;
    }

    private static Set<String> granted(
            Authorizer authorizer, User user, KindDefinition kind, Attributes.Resource list) {
        Set<String> granted = new TreeSet<>();
        if (!isOfNamespaces(kind) || user.grant().isEverywhere()) {
            return granted;
        }
        for (String namespace : user.grant().namespaces()) {
            Attributes.Resource inside = kind.isNamespaced() ? list.withNamespace(namespace) : list.withName(namespace);
            if (authorizer.decide(user, inside).isAllowed()) {
                granted.add(namespace);
            }
        }
        return granted;
    }

    private static boolean isOfNamespaces(KindDefinition kind) {
        return kind.isNamespaced() || kind.resource().equals(NAMESPACES);
    }

    /** Returns the objects of one namespace; those of a cluster-scoped kind are unchanged. */
    ReadableObjects in(String namespace) {
        return isOfNamespaces(kind) ? new ReadableObjects(kind, intersection(Optional.of(Set.of(namespace)))) : this;
    }

    /**
     * Returns the namespaces of the readable objects; empty for all.
     *
     * @param visible namespaces of a World that are visible, as of {@link HistoryAccess#visibleNamespaces}
     */
    Optional<Set<String>> namespaces(Optional<Set<String>> visible) {
        return isOfNamespaces(kind) ? intersection(visible) : Optional.empty();
    }

    private Optional<Set<String>> intersection(Optional<Set<String>> others) {
        if (granted.isEmpty() || others.isEmpty()) {
            return granted.isEmpty() ? others : granted;
        }
        Set<String> both = new TreeSet<>(granted.get());
        both.retainAll(others.get());
        return Optional.of(both);
    }

    /**
     * Returns the scopes of the objects in some namespaces, in order.
     *
     * @param namespaces empty for all
     */
    List<Scope> scopes(Optional<Set<String>> namespaces) {
        if (namespaces.isEmpty()) {
            return List.of(Scope.resource(kind.resource()));
        }
        return new TreeSet<>(namespaces.get())
                .stream()
                        .map(name -> kind.isNamespaced()
                                ? Scope.namespace(kind.resource(), name)
                                : Scope.object(kind.key(Optional.empty(), name)))
                        .toList();
    }
}
