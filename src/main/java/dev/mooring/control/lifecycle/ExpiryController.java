package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Removes expired objects: Events that have not recurred for a while or exceed the namespace's limit, and invalid
 * tokens. Each object is reconciled when it expires. The event log keeps the history.
 */
public final class ExpiryController implements Controller {
    /** Default age; long enough to examine in the morning what happened the evening before. */
    public static final Duration DEFAULT_EVENT_AGE = Duration.ofHours(24);

    /** Number of Events removed at once above the limit, so that not every new Event costs a search. */
    private static final int REMOVAL_BATCH = 250;

    private static final Duration NEXT_BATCH_DELAY = Duration.ofMillis(100);

    private static final String NAMESPACES = "namespaces";
    private static final String NAME = "expiry-controller";
    private static final String EVENTS = "events";
    private static final String TOKENS = "tokens.mooring.dev";

    private final Duration eventAge;

    /** @param eventAge how long Events are kept after their last occurrence */
    public ExpiryController(Duration eventAge) {
        this.eventAge = eventAge;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(EVENTS), Scope.resource(TOKENS));
    }

    /** Enqueues removals, too, so that the queue drops their keys. */
    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        ObjectKey key = change.key();
        queue.enqueue(key);
        if (key.resource().equals(EVENTS) && change.isCreation()) {
            key.namespace()
                    .filter(namespace ->
                            world.count(Scope.namespace(EVENTS, namespace)) > EventProposals.MAX_KEPT_EVENTS)
                    .ifPresent(namespace -> queue.enqueue(ObjectKey.clusterWide(NAMESPACES, namespace)));
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.resource().equals(NAMESPACES)) {
            return removeOldest(world, key.name());
        }
        Optional<StoredObject> seen = world.get(key);
        if (seen.isEmpty()) {
            return Decision.none();
        }
        ObjectNode object = seen.get().tree();
        Optional<Instant> due = key.resource().equals(EVENTS)
                ? lastOccurrence(object).map(time -> time.plus(eventAge))
                : time(object.path("spec").path("expires"));
        if (due.isEmpty()) {
            return Decision.none();
        }
        if (now.isBefore(due.get())) {
            return Decision.none().requeueAt(due.get(), now);
        }
        String kind = key.resource().equals(EVENTS) ? "Event" : "Token";
        return Decision.of(Proposal.by(NAME, kind + "Expired")
                .because(Cause.revision(seen.get().revision()))
                .remove(seen.get())
                .build());
    }

    /** Removes the least recently written Events of a namespace, if there are too many. */
    private static Decision removeOldest(World world, String namespace) {
        Scope scope = Scope.namespace(EVENTS, namespace);
        if (world.count(scope) <= EventProposals.MAX_KEPT_EVENTS) {
            return Decision.none();
        }
        List<Proposal> removals = world.stream(scope)
                .sorted(Comparator.comparingLong(StoredObject::revision))
                .limit(REMOVAL_BATCH)
                .map(event -> Proposal.by(NAME, "EventExpired")
                        .because(Cause.revision(event.revision()))
                        .remove(event)
                        .build())
                .toList();
        return Decision.of(removals).requeueAfter(NEXT_BATCH_DELAY);
    }

    /** Returns the last occurrence; reporters write it to different fields. */
    private static Optional<Instant> lastOccurrence(JsonNode event) {
        return Stream.of(
                        event.path("lastTimestamp"),
                        event.path("eventTime"),
                        event.path("series").path("lastObservedTime"),
                        event.path("firstTimestamp"),
                        event.path("metadata").path("creationTimestamp"))
                .flatMap(each -> time(each).stream())
                .max(Instant::compareTo);
    }

    private static Optional<Instant> time(JsonNode field) {
        if (!field.isTextual()) {
            return Optional.empty();
        }
        try {
            return Optional.of(OffsetDateTime.parse(field.asText()).toInstant());
        } catch (DateTimeParseException e) {
            // The API rejects invalid times; ignore one that is stored anyway, other fields may be valid.
            return Optional.empty();
        }
    }
}
