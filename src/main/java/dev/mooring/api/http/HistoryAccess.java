package dev.mooring.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.model.Change;
import dev.mooring.model.Json;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.WatchHub;
import dev.mooring.world.World;
import dev.mooring.world.WorldEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Decides which past revisions a user may read and watch from. Admins may use all of them. For other users:
 *
 * <ul>
 *   <li>The history of a namespace starts with the creation of the current Namespace of that name. Objects of an
 *   earlier Namespace of that name, or of a deleted one, are hidden.
 *   <li>The history of Secrets is hidden. A client that lists and then watches, or reads page by page, may use a
 *   revision that was the newest one within the last {@link #WINDOW} and since its token was created: it sees nothing
 *   that it could not have watched.
 * </ul>
 *
 * <p>Decisions about watches need no disk access: if the events in memory do not suffice, the client has to list again.
 * Confined to one event loop, except {@link #visibleNamespaces}.
 */
final class HistoryAccess {
    /** kube-apiserver's default retention of old revisions. */
    static final Duration WINDOW = Duration.ofMinutes(5);

    private static final String NAMESPACES = "namespaces";
    private static final String SECRETS = "secrets";

    private final WatchHub hub;
    private final Clock clock;

    /** Revision up to which events have been searched for namespace deletions. */
    private long searched;

    /** No namespace was deleted after this revision and up to {@link #searched}. */
    private long removal;

    HistoryAccess(WatchHub hub, Clock clock) {
        this.hub = hub;
        this.clock = clock;
        // Earlier events are unknown: the newest one may have deleted a namespace.
        this.searched = hub.published();
        this.removal = searched;
    }

    /**
     * A request for a past revision.
     *
     * @param at whether the request asks for a past moment, with {@code at}, {@code from} or {@code to}
     * @param audit records that the request reads history
     */
    record PastRequest(User user, boolean at, LongConsumer audit) {
        static PastRequest of(ApiRequest apiRequest) {
            return new PastRequest(
                    apiRequest.user(),
                    RevisionParameters.isTimeTravel(apiRequest.query()),
                    apiRequest.audit()::markHistoryRead);
        }
    }

    /** Whether namespaces have to be compared before objects are returned. */
    enum NamespaceCheck {
        NOT_NEEDED,
        NEEDED
    }

    /** @throws StatusException 410 if the user may not watch from the revision, so that clients list again */
    void requireWatch(PastRequest request, ResourceRef target, World now, long from) {
        User user = request.user();
        audit(request, now, from);
        if (user.isAdmin() || !isOfNamespaces(target)) {
            return;
        }
        if (isSecret(target) && !mayReadSecrets(user, from)) {
            throw new StatusException(Status.expired("too old resource version: " + from + " (" + now.revision()
                    + "); only admins may watch Secrets from so far back, list again"));
        }
        if (!isSameSince(target, now, from)) {
            throw new StatusException(Status.expired("too old resource version: " + from + " (" + now.revision()
                    + "); a Namespace was removed or created since, list again"));
        }
    }

    /**
     * Checks that a user may read at a revision that is not newer than the newest.
     *
     * @return whether {@link #visibleNamespaces} must check the past World
     * @throws StatusException if the user may not
     */
    NamespaceCheck requireRead(PastRequest request, ResourceRef target, World now, long revision) {
        User user = request.user();
        audit(request, now, revision);
        if (user.isAdmin() || !isOfNamespaces(target)) {
            return NamespaceCheck.NOT_NEEDED;
        }
        boolean at = request.at();
        if (isSecret(target) && (at || !mayReadSecrets(user, revision))) {
            throw new StatusException(
                    at
                            ? target.forbidden(
                                    target.name().orElse(""),
                                    "User \"" + user.name()
                                            + "\" cannot read Secrets at a revision: their history is for admins only;"
                                            + " leave out \"at\"")
                            : Status.expired("The provided resource version " + revision
                                    + " is too old: only admins may read Secrets from so far back; list again"));
        }
        if (isSameSince(target, now, revision)) {
            return NamespaceCheck.NOT_NEEDED;
        }
        Optional<String> namespace = namespace(target);
        if (namespace.isPresent() && now.get(key(namespace.get())).isEmpty()) {
            throw new StatusException(refusal(request, target, namespace.get(), revision));
        }
        return NamespaceCheck.NEEDED;
    }

    /**
     * Returns the visible namespaces of a past World. Thread-safe.
     *
     * @return the namespaces whose objects are visible; empty if all of the target is
     * @throws StatusException if nothing is visible
     */
    static Optional<Set<String>> visibleNamespaces(PastRequest request, ResourceRef target, World now, World past) {
        Optional<String> namespace = namespace(target);
        if (namespace.isPresent()) {
            if (!isSame(now.get(key(namespace.get())), past.get(key(namespace.get())))) {
                throw new StatusException(refusal(request, target, namespace.get(), past.revision()));
            }
            return Optional.empty();
        }
        Set<String> same = new HashSet<>();
        for (StoredObject then : past.list(Scope.resource(NAMESPACES))) {
            if (isSame(now.get(then.key()), Optional.of(then))) {
                same.add(then.key().name());
            }
        }
        return Optional.of(same);
    }

    /**
     * Returns whether a user who may read an object now may read it in a World, too. Thread-safe.
     *
     * @param now the newest World
     * @param past the newest or an earlier one
     */
    static boolean isVisible(User user, ObjectKey key, World now, World past) {
        boolean isNamespace = key.resource().equals(NAMESPACES);
        if (user.isAdmin() || (key.namespace().isEmpty() && !isNamespace)) {
            return true;
        }
        if (key.resource().equals(SECRETS) && past.revision() != now.revision()) {
            return false;
        }
        ObjectKey namespace = isNamespace ? key : key(key.namespace().orElseThrow());
        return isSame(now.get(namespace), past.get(namespace));
    }

    /** Returns the same error for a deleted namespace and for one that never existed. */
    private static Status refusal(PastRequest request, ResourceRef target, String namespace, long revision) {
        if (!request.at()) {
            return Status.expired("The provided resource version " + revision
                    + " is too old: it is from before the creation of namespace \"" + namespace + "\"; list again");
        }
        return target.forbidden(
                target.name().orElse(""),
                "User \"" + request.user().name() + "\" cannot read namespace \"" + namespace + "\" at revision "
                        + revision + ": only admins may read objects from before the current Namespace of this name"
                        + " was created; use a later revision");
    }

    /** Returns whether the target contains namespaced objects; a Namespace is in itself. */
    private static boolean isOfNamespaces(ResourceRef target) {
        return target.kind().isNamespaced() || target.kind().resource().equals(NAMESPACES);
    }

    private static Optional<String> namespace(ResourceRef target) {
        return target.kind().isNamespaced() ? target.namespace() : target.name();
    }

    private static boolean isSecret(ResourceRef target) {
        return target.kind().resource().equals(SECRETS);
    }

    private static ObjectKey key(String namespace) {
        try {
            return ObjectKey.clusterWide(NAMESPACES, namespace);
        } catch (IllegalArgumentException e) {
            throw new StatusException(Status.pathNotFound());
        }
    }

    /** Records a history read; lists and watches that continue from a recent revision are none. */
    private void audit(PastRequest request, World now, long revision) {
        if (revision < now.revision() && (request.at() || !wasNewestLately(revision))) {
            request.audit().accept(revision);
        }
    }

    /** Returns whether the revision is recent and not older than the user's permissions. */
    private boolean mayReadSecrets(User user, long revision) {
        return revision >= user.since() && wasNewestLately(revision);
    }

    /** Returns whether a revision was the newest one within the window. */
    private boolean wasNewestLately(long revision) {
        return revision >= hub.published()
                || hub.recent(revision + 1)
                        .filter(next ->
                                !next.event().time().isBefore(clock.instant().minus(WINDOW)))
                        .isPresent();
    }

    /** Returns true if all objects at the revision and since then certainly belong to namespaces that still exist. */
    private boolean isSameSince(ResourceRef target, World now, long revision) {
        return revision >= hub.published()
                || revision >= lastRemoval()
                || namespace(target)
                        .filter(name -> existedAt(now, key(name), revision))
                        .isPresent();
    }

    /** Returns the revision of the last namespace deletion, or a later one if the events in memory do not suffice. */
    private long lastRemoval() {
        long published = hub.published();
        for (long revision = published; revision > searched; revision--) {
            Optional<WorldEvent> event = hub.recent(revision);
            if (event.isEmpty() || removesNamespace(event.get())) {
                removal = revision;
                break;
            }
        }
        searched = published;
        return removal;
    }

    private static boolean removesNamespace(WorldEvent event) {
        for (Change change : event.event().changes()) {
            if (change.isRemoval() && change.key().resource().equals(NAMESPACES)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether an object has existed since a revision, by following its changes backwards through the events in
     * memory.
     */
    private boolean existedAt(World now, ObjectKey key, long revision) {
        long written = now.get(key).map(StoredObject::revision).orElse(0L);
        while (written > revision) {
            written = hub.recent(written)
                    .flatMap(event -> event.event().changes().stream()
                            .filter(change -> change.key().equals(key))
                            .findFirst())
                    .map(Change::prior)
                    .orElse(0L);
        }
        return written > 0;
    }

    private static boolean isSame(Optional<StoredObject> now, Optional<StoredObject> then) {
        return now.isPresent()
                && then.isPresent()
                && (now.get().revision() == then.get().revision()
                        || uid(now.get()).equals(uid(then.get())));
    }

    private static String uid(StoredObject object) {
        try {
            JsonNode tree = Json.MAPPER.readTree(object.json());
            return tree.path("metadata").path("uid").asText();
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to read " + object.key() + ": it is not JSON", e);
        }
    }
}
