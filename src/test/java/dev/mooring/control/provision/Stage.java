package dev.mooring.control.provision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.control.WorkQueue;
import dev.mooring.control.Worlds;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Several controllers in one world, without threads. They can be killed after any event, in the middle of what they decided, and begin
 * anew from what is there; what is outside the World, such as a disk, stays.
 */
final class Stage {
    /** Far more than any test needs; controllers that undo each other's work are found out. */
    private static final int MAX_EVENTS = 5_000;

    private final List<Supplier<? extends Controller>> makers;
    private final List<Actor> actors = new ArrayList<>();
    private final List<String> happened = new ArrayList<>();
    private World world;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int left = Integer.MAX_VALUE;

    private final class Actor implements Controller.Wakes {
        private final Controller controller;
        private final WorkQueue queue = new WorkQueue(Backoff.DEFAULT);

        private Actor(Controller controller) {
            this.controller = controller;
        }

        private void follow(Change change, Optional<StoredObject> before) {
            if (controller.scopes().stream().anyMatch(scope -> scope.contains(change.key()))) {
                controller.follow(change, before, world, this);
            }
        }

        private boolean act() {
            Optional<WorkQueue.Taken> taken = queue.take(nanos());
            if (taken.isEmpty()) {
                return false;
            }
            ObjectKey key = taken.get().key();
            Decision decision = controller.reconcile(world, key, now);
            for (Proposal proposal : decision.proposals()) {
                if (left == 0) {
                    return true;
                }
                happen(proposal);
            }
            queue.succeeded(key, decision.lookAgain(), nanos());
            return true;
        }

        @Override
        public void now(ObjectKey key) {
            queue.add(key, nanos());
        }

        @Override
        public void within(ObjectKey key, Duration delay) {
            queue.addAfter(key, delay, nanos());
        }
    }

    Stage(String yaml, List<Supplier<? extends Controller>> makers) {
        this.makers = List.copyOf(makers);
        this.world = Worlds.of(yaml);
        restart();
    }

    /** All are killed and begin anew. */
    Stage restart() {
        actors.clear();
        for (Supplier<? extends Controller> maker : makers) {
            Actor actor = new Actor(maker.get());
            actors.add(actor);
            for (Scope scope : actor.controller.scopes()) {
                world.list(scope).forEach(object -> actor.follow(Change.put(object, 0), Optional.empty()));
            }
        }
        return this;
    }

    /** Lets them work until nothing is due. */
    Stage settle() {
        boolean busy = true;
        while (busy && left > 0) {
            busy = false;
            for (Actor actor : actors) {
                busy |= left > 0 && actor.act();
            }
        }
        return this;
    }

    /**
     * Lets them work until so many events have happened, and then kills them: what they do next they still do outside the World, but
     * nobody hears of it. Whether it came to that.
     */
    boolean killAfter(int events) {
        left = events;
        settle();
        boolean killed = left == 0;
        for (Actor actor : actors) {
            boolean busy = killed;
            while (busy) {
                busy = actor.act();
            }
        }
        left = Integer.MAX_VALUE;
        if (killed) {
            restart();
        }
        return killed;
    }

    Stage pass(Duration time) {
        now = now.plus(time);
        return settle();
    }

    /** Lets more and more time pass, as long as it takes for what is put off again and again. */
    Stage passAll() {
        for (int i = 0; i < 30; i++) {
            pass(Duration.ofMinutes(5));
        }
        return this;
    }

    Stage put(String yaml) {
        for (ObjectNode object : Worlds.objects(yaml)) {
            happen(Proposal.by("tester", "Put").put(Worlds.draft(object)).build());
        }
        return this;
    }

    /** Changes it if it is there. */
    Stage edit(String key, Consumer<ObjectNode> change) {
        world.get(ObjectKey.parse(key)).ifPresent(seen -> {
            ObjectNode object = StoredJson.tree(seen);
            change.accept(object);
            happen(Proposal.by("tester", "Edited")
                    .replace(seen, Draft.of(seen.key(), object))
                    .build());
        });
        return this;
    }

    /** Removes it if it is there. */
    Stage remove(String key) {
        world.get(ObjectKey.parse(key))
                .ifPresent(seen ->
                        happen(Proposal.by("tester", "Removed").remove(seen).build()));
        return this;
    }

    private void happen(Proposal proposal) {
        Event event = Worlds.event(world, proposal);
        assertThat(event.changes().stream().map(change -> change.key().resource()))
                .doesNotHaveDuplicates();
        World before = world;
        world = world.after(event);
        left--;
        happened.add(proposal.type());
        assertThat(happened).as("events").hasSizeLessThan(MAX_EVENTS);
        for (Actor actor : actors) {
            for (Change change : event.changes()) {
                actor.follow(change, before.get(change.key()));
            }
        }
    }

    /** The types of the events since this was asked last. */
    List<String> happened() {
        List<String> since = List.copyOf(happened);
        happened.clear();
        return since;
    }

    World world() {
        return world;
    }

    ObjectNode tree(String key) {
        return Worlds.tree(world, key);
    }

    boolean has(String key) {
        return world.get(ObjectKey.parse(key)).isPresent();
    }

    List<ObjectNode> all(String resource) {
        return world.stream(Scope.resource(resource)).map(StoredJson::tree).toList();
    }

    /** Type, reason and message of all that was told. */
    List<String> told() {
        return all("events").stream()
                .map(event ->
                        event.path("type").asText() + ' ' + event.path("reason").asText() + ": "
                                + event.path("message").asText())
                .toList();
    }

    private long nanos() {
        return Duration.between(Instant.EPOCH, now).toNanos();
    }
}
