package dev.mooring.control;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** Turns a {@link KubeEvent} into the proposal that records it. Pure; thread-safe. */
public final class EventProposals {
    private static final String TYPE = "EventRecorded";

    /** Limit of Events kept in one namespace; the expiry controller removes the oldest ones above it. */
    public static final int MAX_KEPT_EVENTS = 5_000;

    /** Hard limit of Events in one namespace, in case the expiry controller is late. */
    private static final int MAX_EVENTS = 2 * MAX_KEPT_EVENTS;

    private EventProposals() {}

    /**
     * Records an Event, or increments the count of an existing one. Returns empty if the namespace is terminating or
     * gone, or if a new Event would exceed {@link #MAX_EVENTS}.
     */
    public static Optional<Proposal> recordEvent(World world, KubeEvent kubeEvent, Cause cause, Instant now) {
        ObjectKey key = kubeEvent.key();
        Optional<StoredObject> namespaceObject = key.namespace()
                .flatMap(name -> world.get(ObjectKey.clusterWide("namespaces", name)))
                .filter(namespace -> !StoredJson.isBeingDeleted(namespace));
        if (namespaceObject.isEmpty()) {
            return Optional.empty();
        }
        Optional<StoredObject> existing = world.get(key);
        if (existing.isEmpty()
                && world.count(Scope.namespace(
                                key.resource(), namespaceObject.get().key().name()))
                        >= MAX_EVENTS) {
            return Optional.empty();
        }
        Draft draft = kubeEvent.toEvent(existing, now, uid(key, world, now));
        Proposal.Builder proposal =
                Proposal.by(kubeEvent.component(), TYPE).because(cause).expect(namespaceObject.get());
        existing.ifPresentOrElse(seen -> proposal.replace(seen, draft), () -> proposal.create(draft));
        return Optional.of(proposal.build());
    }

    /** Records an Event unless one of the same kind still exists. For findings that every reconciliation repeats. */
    public static Optional<Proposal> recordEventOnce(World world, KubeEvent kubeEvent, Cause cause, Instant now) {
        return world.get(kubeEvent.key()).isPresent() ? Optional.empty() : recordEvent(world, kubeEvent, cause, now);
    }

    /**
     * Records a recurring Event: immediately if it does not exist, then again only after an interval that doubles with
     * each count, with the same long-term rate as Kubernetes' recorder.
     */
    public static Optional<Proposal> tellWithBackOff(World world, KubeEvent kubeEvent, Cause cause, Instant now) {
        Optional<StoredObject> existing = world.get(kubeEvent.key());
        if (existing.isPresent()) {
            ObjectNode event = existing.get().toTree();
            Duration interval =
                    Backoff.EVENT.after(Math.max(1, event.path("count").asInt(1)));
            Instant last = Instant.parse(event.path("lastTimestamp").asText());
            if (now.isBefore(last.plus(interval))) {
                return Optional.empty();
            }
        }
        return recordEvent(world, kubeEvent, cause, now);
    }

    /**
     * Derives the uid from the key, the World's revision and the time, so that repeating a decision gives the same uid.
     */
    private static String uid(ObjectKey key, World world, Instant now) {
        String unique = key + "@" + world.revision() + "@" + now;
        return UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
