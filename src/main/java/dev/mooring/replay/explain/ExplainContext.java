package dev.mooring.replay.explain;

import dev.mooring.model.Change;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/** What explainers may read for one explanation. Not thread-safe. */
final class ExplainContext {
    /** Events of one object that are read first to find the request that deleted it; usually enough. */
    private static final int FEW_PAST_EVENTS = 4;

    private static final int MAX_PAST_EVENTS = 64;

    /** Limit of objects between the explained one and a cause. */
    private static final int MAX_DEPTH = 8;

    private final World world;
    private final Instant now;
    private final PastEvents past;
    private final Predicate<ObjectKey> mayRead;
    private final Set<ObjectKey> inProgress = new HashSet<>();

    /** @param key the object to explain */
    ExplainContext(World world, ObjectKey key, Instant now, PastEvents past, Predicate<ObjectKey> mayRead) {
        inProgress.add(key);
        this.world = world;
        this.now = now;
        this.past = past;
        this.mayRead = mayRead;
    }

    World world() {
        return world;
    }

    /** Returns the time at which the World was current. */
    Instant now() {
        return now;
    }

    /**
     * Returns whether the reader may read an object. Findings about hidden objects are replaced anyway; use this to
     * leave names out of other texts.
     */
    boolean mayRead(ObjectKey key) {
        return mayRead.test(key);
    }

    /**
     * Explains another object as a cause of the current one. Empty if it does not exist or is already being explained.
     */
    Optional<Finding> explain(ObjectKey key) {
        if (inProgress.size() >= MAX_DEPTH || !inProgress.add(key)) {
            return Optional.empty();
        }
        try {
            return world.get(key)
                    .map(object -> Explainer.explained(object, this).root());
        } finally {
            inProgress.remove(key);
        }
    }

    /** Returns the newest deletion of an object that does not exist; empty if the log does not retain it. */
    Optional<ObjectDeletion> deletionOf(ObjectKey key) {
        List<Event> events = newestEvents(key);
        if (events.isEmpty() || !changeOf(key, events.get(0)).isRemoval()) {
            return Optional.empty();
        }
        StoredObject last = changeOf(key, events.get(0)).object();
        return Optional.of(new ObjectDeletion(deletionRequest(key, events), events.get(0), last));
    }

    /** Returns the event in which a terminating object got its deletionTimestamp. */
    Optional<Event> deletionRequestOf(ObjectKey key) {
        List<Event> events = newestEvents(key);
        return events.isEmpty() ? Optional.empty() : Optional.of(deletionRequest(key, events));
    }

    /** Returns the oldest of the newest events, without a gap, after which the object is terminating or gone. */
    private static Event deletionRequest(ObjectKey key, List<Event> newestFirst) {
        Event request = newestFirst.get(0);
        for (Event each : newestFirst.subList(1, newestFirst.size())) {
            Change change = changeOf(key, each);
            if (change.isRemoval() || !change.object().tree().path("metadata").hasNonNull("deletionTimestamp")) {
                break;
            }
            request = each;
        }
        return request;
    }

    private static Change changeOf(ObjectKey key, Event event) {
        return event.changes().stream()
                .filter(change -> change.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private List<Event> newestEvents(ObjectKey key) {
        try {
            List<Event> few = past.newestOf(key, world.revision(), FEW_PAST_EVENTS);
            boolean isComplete = few.size() < FEW_PAST_EVENTS
                    || !few.get(FEW_PAST_EVENTS - 1).equals(deletionRequest(key, few));
            return isComplete ? few : past.newestOf(key, world.revision(), MAX_PAST_EVENTS);
        } catch (CompactedException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the Kubernetes Events about an object, newest first. */
    List<StoredObject> kubeEventsOf(StoredObject object) {
        String uid = object.tree().path("metadata").path("uid").asText("");
        String namespace = object.key().namespace().orElse("default");
        String prefix = object.key().name() + '.';
        Scope scope = Scope.namespace("events", namespace);
        // The name of an Event starts with the name of its object.
        return StreamSupport.stream(
                        world.listAfter(scope, ObjectKey.namespaced("events", namespace, prefix))
                                .spliterator(),
                        false)
                .takeWhile(each -> each.key().name().startsWith(prefix))
                .filter(each -> mayRead(each.key())
                        && each.tree()
                                .path("involvedObject")
                                .path("uid")
                                .asText("")
                                .equals(uid))
                .sorted(Comparator.comparing((StoredObject each) ->
                                each.tree().path("lastTimestamp").asText(""))
                        .thenComparing(StoredObject::revision)
                        .reversed())
                .toList();
    }
}
