package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.User;
import dev.mooring.api.http.HistoryAccess.NamespaceCheck;
import dev.mooring.api.http.HistoryAccess.PastRequest;
import dev.mooring.api.resource.Page;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.model.CompactedException;
import dev.mooring.model.FieldSelector;
import dev.mooring.model.Selection;
import dev.mooring.model.StoredObject;
import dev.mooring.world.HistoryUnavailableException;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Authorizes and answers reads as the handlers of HTTP requests do, for a simulation without HTTP. For one event loop.
 */
public final class SimAccess {
    private final StateStore store;
    private final Authorizer authorizer;
    private final HistoryAccess history;

    public SimAccess(StateStore store, Clock clock) {
        this.store = store;
        this.authorizer = new Authorizer(store.ledger()::world);
        this.history = new HistoryAccess(store.hub(), clock);
    }

    /** @throws StatusException 403 if the user's role does not allow the verb */
    public void require(User user, String verb, ResourceRef target) {
        Authorizer.AuthorizationDecision decision =
                authorizer.decide(user, ResourceHandler.attributes(verb, target, FieldSelector.everything()));
        if (decision instanceof Authorizer.AuthorizationDecision.Denied denied) {
            throw new StatusException(ResourceHandler.forbidden(target, denied));
        }
    }

    /**
     * Gets one object, or lists those of a target without a name.
     *
     * @param revision to read at; empty for the newest
     * @param at whether the request names the revision with {@code at}, not with {@code resourceVersion}
     * @throws StatusException if the request is refused
     */
    public List<StoredObject> read(User user, ResourceRef target, OptionalLong revision, boolean at)
            throws IOException {
        String verb = target.name().isPresent() ? "get" : "list";
        require(user, verb, target);
        ResourceHandler.refuseHistoryToNodes(user, verb, target, () -> revision);
        World world = store.ledger().world();
        Optional<Set<String>> only = Optional.empty();
        if (revision.isPresent()) {
            PastRequest request = new PastRequest(user, at, read -> {});
            NamespaceCheck check = history.requireRead(request, target, world, revision.getAsLong());
            World past = past(revision.getAsLong());
            only = check == NamespaceCheck.NEEDED
                    ? HistoryAccess.visibleNamespaces(request, target, world, past)
                    : only;
            world = past;
        }
        return target.name().isPresent()
                ? world.get(target.key()).stream().toList()
                : Page.read(world, only, target, Selection.everything(), 0, Optional.empty())
                        .objects();
    }

    private World past(long revision) throws IOException {
        try {
            return store.history().at(revision);
        } catch (CompactedException e) {
            throw new StatusException(Status.expired(e.getMessage()));
        } catch (HistoryUnavailableException e) {
            throw new StatusException(ReadHandler.pastRefused(e));
        }
    }

    /** @throws StatusException if the user may not watch the target from the revision */
    public void requireWatch(User user, ResourceRef target, long from) {
        require(user, "watch", target);
        history.requireWatch(
                new PastRequest(user, false, read -> {}), target, store.ledger().world(), from);
    }
}
