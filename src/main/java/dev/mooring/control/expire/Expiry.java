package dev.mooring.control.expire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
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
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Removes what has had its time: Events that have not been told again for a while, and tokens that are no longer valid. Each is looked
 * at when it is due and not before. History keeps them.
 */
public final class Expiry implements Controller {
    /** Long enough to find out in the morning what happened in the evening. */
    public static final Duration DEFAULT_EVENT_AGE = Duration.ofHours(24);

    private static final String NAME = "expiry-controller";
    private static final String EVENTS = "events";
    private static final String TOKENS = "tokens.mooring.dev";

    private final Duration eventAge;

    /** @param eventAge how long Events are kept after they were last told */
    public Expiry(Duration eventAge) {
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

    /** A removal is looked at too, so that what has gone is not waited for. */
    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        wakes.now(change.key());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> seen = world.get(key);
        if (seen.isEmpty()) {
            return Decision.nothing();
        }
        ObjectNode object = StoredJson.tree(seen.get());
        Optional<Instant> due = key.resource().equals(EVENTS)
                ? lastTold(object).map(time -> time.plus(eventAge))
                : time(object.path("spec").path("expires"));
        if (due.isEmpty()) {
            return Decision.nothing();
        }
        if (now.isBefore(due.get())) {
            return Decision.nothing().lookAgainAt(due.get(), now);
        }
        String kind = key.resource().equals(EVENTS) ? "Event" : "Token";
        return Decision.of(Proposal.by(NAME, kind + "Expired")
                .because(Cause.revision(seen.get().revision()))
                .remove(seen.get())
                .build());
    }

    /** Reporters of different generations write it in different places. */
    private static Optional<Instant> lastTold(JsonNode event) {
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
            // The API lets none through; what is there anyway says nothing about time, and others may.
            return Optional.empty();
        }
    }
}
