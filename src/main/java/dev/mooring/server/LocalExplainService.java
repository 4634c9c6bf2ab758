package dev.mooring.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.ExplainService;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.replay.explain.Explainer;
import dev.mooring.replay.explain.Explanation;
import dev.mooring.replay.explain.PastEvents;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Explains objects with the events of this process's log. Thread-safe. */
final class LocalExplainService implements ExplainService {
    private final Explainer forAdmins;
    private final Explainer forOthers;

    LocalExplainService(StateStore store) {
        PastEvents past = PastEvents.of(store.log());
        this.forAdmins = new Explainer(past);
        this.forOthers = new Explainer(new VisibleEvents(past, store));
    }

    @Override
    public Optional<ObjectNode> explain(World world, ObjectKey key, Instant time, ExplanationReader reader) {
        return (reader.isAdmin() ? forAdmins : forOthers)
                .explain(world, key, time, reader.mayRead())
                .map(Explanation::json);
    }

    /**
     * The events that users other than admins may read, by the rules of the API for past revisions: no events of
     * Secrets, and those of a namespace only since its current Namespace was created.
     */
    private record VisibleEvents(PastEvents all, StateStore store) implements PastEvents {
        @Override
        public List<Event> newestOf(ObjectKey key, long upTo, int limit) throws IOException {
            boolean isNamespace = key.resource().equals("namespaces");
            if (key.resource().equals("secrets")) {
                return List.of();
            }
            if (key.namespace().isEmpty() && !isNamespace) {
                return all.newestOf(key, upTo, limit);
            }
            Optional<StoredObject> namespace = store.ledger()
                    .world()
                    .get(
                            isNamespace
                                    ? key
                                    : ObjectKey.clusterWide(
                                            "namespaces", key.namespace().orElseThrow()));
            if (namespace.isEmpty()) {
                return List.of();
            }
            long start = store.history().events().existsSince(namespace.get(), 0);
            return all.newestOf(key, upTo, limit).stream()
                    .filter(event -> event.revision() >= start)
                    .toList();
        }
    }
}
