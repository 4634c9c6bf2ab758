package dev.mooring.replay.explain;

import dev.mooring.control.WorldFixture;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.replay.explain.Explanation.Finding;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A World written as text and the events that led to it. */
final class ExplainerFixture {
    static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private final List<Event> events = new ArrayList<>();
    private World world = World.EMPTY;

    static ExplainerFixture of(String yaml) {
        return new ExplainerFixture().put("admin", yaml);
    }

    World world() {
        return world;
    }

    /** Writes objects as an actor. */
    ExplainerFixture put(String actor, String yaml) {
        WorldFixture.objects(yaml)
                .forEach(object -> commit(Proposal.by(actor, "Put")
                        .put(WorldFixture.draft(object))
                        .build()));
        return this;
    }

    /** Removes an object as an actor. */
    ExplainerFixture remove(String actor, String key) {
        return commit(Proposal.by(actor, "Removed")
                .remove(world.get(ObjectKey.parse(key)).orElseThrow())
                .build());
    }

    private ExplainerFixture commit(Proposal proposal) {
        Event event = WorldFixture.event(world, proposal);
        events.add(event);
        world = world.after(event);
        return this;
    }

    private List<Event> newestOf(ObjectKey key, long upTo, int limit) {
        List<Event> newest = new ArrayList<>();
        for (int i = events.size() - 1; i >= 0 && newest.size() < limit; i--) {
            Event event = events.get(i);
            if (event.revision() <= upTo
                    && event.changes().stream().anyMatch(change -> change.key().equals(key))) {
                newest.add(event);
            }
        }
        return newest;
    }

    Explanation explain(String key) {
        return explain(key, unused -> true);
    }

    Explanation explain(String key, Predicate<ObjectKey> mayRead) {
        return explain(world, key, mayRead);
    }

    Explanation explain(World past, String key, Predicate<ObjectKey> mayRead) {
        return new Explainer(this::newestOf)
                .explain(past, ObjectKey.parse(key), NOW, mayRead)
                .orElseThrow();
    }

    /** Returns all findings of an explanation, parents first. */
    static Stream<Finding> findings(Explanation explanation) {
        return findings(explanation.root());
    }

    private static Stream<Finding> findings(Finding finding) {
        return Stream.concat(Stream.of(finding), finding.because().stream().flatMap(ExplainerFixture::findings));
    }

    /** Returns the commands of an explanation. */
    static List<String> commands(Explanation explanation) {
        return explanation.next().stream().map(Explanation.NextStep::command).toList();
    }
}
