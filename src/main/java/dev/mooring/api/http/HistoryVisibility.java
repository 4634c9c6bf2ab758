package dev.mooring.api.http;

import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.Catalog;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.EventHistory;
import dev.mooring.world.World;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Decides which changes of past events a user may see: those of objects that the user may get now, with the rules of
 * {@link HistoryAccess} for namespaces and Secrets. Serves one request; not thread-safe, and may read from disk.
 */
final class HistoryVisibility {
    private static final String NAMESPACES = "namespaces";
    private static final String SECRETS = "secrets";

    /** Limit of remembered decisions; a request of an admin needs none. */
    private static final int MAX_REMEMBERED = 10_000;

    private final User user;
    private final Authorizer authorizer;
    private final Catalog catalog;
    private final Supplier<World> world;
    private final EventHistory events;
    private final long liveAfter;
    private final Map<String, Boolean> allowed = new HashMap<>();

    private final Map<String, KnownSince> namespaces = new HashMap<>();

    /**
     * The earliest revision since which a namespace is known to exist without interruption.
     *
     * @param isCreation whether it did not exist before
     */
    private record KnownSince(long revision, boolean isCreation) {}

    /** @param liveAfter events after this revision happen during the request, as in a watch: their namespaces need no check */
    HistoryVisibility(User user, ApiCore core, long liveAfter) {
        this.user = user;
        this.authorizer = core.authorizer();
        this.catalog = core.catalog();
        this.world = core.stateStore().ledger()::world;
        this.events = core.stateStore().history().events();
        this.liveAfter = liveAfter;
    }

    /** Returns whether the user may see the change of an object at a revision. */
    boolean isVisible(ObjectKey key, long revision) throws IOException {
        if (user.isAdmin()) {
            return true;
        }
        return !key.resource().equals(SECRETS) && isAllowed(key) && isOfPresentNamespace(key, revision);
    }

    /** Returns whether the user may get the object now. */
    private boolean isAllowed(ObjectKey key) {
        Optional<String> namespace = namespace(key);
        String scope = key.resource() + '/' + namespace.orElse("");
        Boolean known = allowed.get(scope);
        if (known == null) {
            known = decide(key).isAllowed();
            if (allowed.size() < MAX_REMEMBERED) {
                allowed.put(scope, known);
            }
        }
        return known;
    }

    /** Decides whether the user may get an object now. */
    Authorizer.AuthorizationDecision decide(ObjectKey key) {
        return catalog.ofResource(key.resource())
                .map(kind -> authorizer.decide(
                        user,
                        Attributes.resource(
                                        "get",
                                        kind.names().group(),
                                        kind.names().plural())
                                .withNamespace(key.namespace().orElse(""))
                                .withName(key.name())))
                .orElseGet(() -> new Authorizer.AuthorizationDecision.Denied(
                        "only admins may read " + key.resource() + ", which this version does not serve"));
    }

    /** Returns whether the object belonged to the Namespace that has the name now; cluster-scoped objects do. */
    private boolean isOfPresentNamespace(ObjectKey key, long revision) throws IOException {
        Optional<String> namespace = namespace(key);
        if (namespace.isEmpty() || revision > liveAfter) {
            return true;
        }
        KnownSince known = namespaces.get(namespace.get());
        if (known == null || (known.revision() > revision && !known.isCreation())) {
            Optional<StoredObject> now = world.get().get(ObjectKey.clusterWide(NAMESPACES, namespace.get()));
            if (now.isEmpty()) {
                return false;
            }
            long since = events.existsSince(now.get(), revision);
            known = new KnownSince(since, since > revision);
            if (namespaces.size() < MAX_REMEMBERED) {
                namespaces.put(namespace.get(), known);
            }
        }
        return known.revision() <= revision;
    }

    /** Returns the namespace of an object; a Namespace is in itself. */
    private static Optional<String> namespace(ObjectKey key) {
        return key.resource().equals(NAMESPACES) ? Optional.of(key.name()) : key.namespace();
    }
}
