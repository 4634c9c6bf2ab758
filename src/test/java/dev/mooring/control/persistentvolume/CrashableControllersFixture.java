package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.WorkQueue;
import dev.mooring.control.WorldFixture;
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
 * Runs several controllers on one World without threads. They can be killed after any event, also between two proposals
 * of a decision, and restart from the World; state outside the World, such as a disk, survives.
 */
final class CrashableControllersFixture {
    /** Far more than any test needs; exceeded only by controllers that undo each other's changes. */
    private static final int MAX_EVENTS = 5_000;

    private final List<Supplier<? extends Controller>> suppliers;
    private final List<ControllerRunner> runners = new ArrayList<>();
    private final List<String> eventTypes = new ArrayList<>();
    private World world;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int remaining = Integer.MAX_VALUE;

    private final class ControllerRunner implements Controller.Enqueuer {
        private final Controller controller;
        private final WorkQueue queue = new WorkQueue(Backoff.DEFAULT);

        private ControllerRunner(Controller controller) {
            this.controller = controller;
        }

        private void deliver(Change change, Optional<StoredObject> before) {
            if (controller.scopes().stream().anyMatch(scope -> scope.contains(change.key()))) {
                controller.onChange(change, before, world, this);
            }
        }

        private boolean reconcileNext() {
            Optional<WorkQueue.QueuedKey> taken = queue.take(nanos());
            if (taken.isEmpty()) {
                return false;
            }
            ObjectKey key = taken.get().key();
            Decision decision = controller.reconcile(world, key, now);
            for (Proposal proposal : decision.proposals()) {
                if (remaining == 0) {
                    return true;
                }
                commit(proposal);
            }
            queue.succeeded(key, decision.requeueAfter(), nanos());
            return true;
        }

        @Override
        public void enqueue(ObjectKey key) {
            queue.add(key, nanos());
        }

        @Override
        public void enqueueWithin(ObjectKey key, Duration delay) {
            queue.addAfter(key, delay, nanos());
        }
    }

    CrashableControllersFixture(String yaml, List<Supplier<? extends Controller>> suppliers) {
        this.suppliers = List.copyOf(suppliers);
        this.world = WorldFixture.of(yaml);
        restart();
    }

    /** Kills all controllers and starts new ones. */
    CrashableControllersFixture restart() {
        runners.clear();
        for (Supplier<? extends Controller> supplier : suppliers) {
            ControllerRunner runner = new ControllerRunner(supplier.get());
            runners.add(runner);
            for (Scope scope : runner.controller.scopes()) {
                world.list(scope).forEach(object -> runner.deliver(Change.put(object, 0), Optional.empty()));
            }
        }
        return this;
    }

    /** Runs the controllers until no key is due. */
    CrashableControllersFixture settle() {
        boolean busy = true;
        while (busy && remaining > 0) {
            busy = false;
            for (ControllerRunner runner : runners) {
                busy |= remaining > 0 && runner.reconcileNext();
            }
        }
        return this;
    }

    /**
     * Runs the controllers for at most this many events and then kills them: their next steps still take effect outside
     * the World, but not in it. Returns whether there were that many events.
     */
    boolean killAfter(int events) {
        remaining = events;
        settle();
        boolean killed = remaining == 0;
        for (ControllerRunner runner : runners) {
            boolean busy = killed;
            while (busy) {
                busy = runner.reconcileNext();
            }
        }
        remaining = Integer.MAX_VALUE;
        if (killed) {
            restart();
        }
        return killed;
    }

    CrashableControllersFixture advance(Duration time) {
        now = now.plus(time);
        return settle();
    }

    /** Advances the clock by 150 minutes in steps, longer than any back-off. */
    CrashableControllersFixture advanceUntilSettled() {
        for (int i = 0; i < 30; i++) {
            advance(Duration.ofMinutes(5));
        }
        return this;
    }

    CrashableControllersFixture put(String yaml) {
        for (ObjectNode object : WorldFixture.objects(yaml)) {
            commit(Proposal.by("tester", "Put").put(WorldFixture.draft(object)).build());
        }
        return this;
    }

    /** Edits an object if it exists. */
    CrashableControllersFixture edit(String key, Consumer<ObjectNode> change) {
        world.get(ObjectKey.parse(key)).ifPresent(seen -> {
            ObjectNode object = seen.toTree();
            change.accept(object);
            commit(Proposal.by("tester", "Edited")
                    .replace(seen, Draft.of(seen.key(), object))
                    .build());
        });
        return this;
    }

    /** Removes an object if it exists. */
    CrashableControllersFixture remove(String key) {
        world.get(ObjectKey.parse(key))
                .ifPresent(seen ->
                        commit(Proposal.by("tester", "Removed").remove(seen).build()));
        return this;
    }

    private void commit(Proposal proposal) {
        Event event = WorldFixture.event(world, proposal);
        assertThat(event.changes().stream().map(change -> change.key().resource()))
                .doesNotHaveDuplicates();
        World before = world;
        world = world.after(event);
        remaining--;
        eventTypes.add(proposal.type());
        assertThat(eventTypes).as("events").hasSizeLessThan(MAX_EVENTS);
        for (ControllerRunner runner : runners) {
            for (Change change : event.changes()) {
                runner.deliver(change, before.get(change.key()));
            }
        }
    }

    /** Returns the types of the events since the last call. */
    List<String> takeEventTypes() {
        List<String> since = List.copyOf(eventTypes);
        eventTypes.clear();
        return since;
    }

    World world() {
        return world;
    }

    ObjectNode tree(String key) {
        return WorldFixture.tree(world, key);
    }

    boolean has(String key) {
        return world.get(ObjectKey.parse(key)).isPresent();
    }

    List<ObjectNode> all(String resource) {
        return world.stream(Scope.resource(resource)).map(StoredObject::toTree).toList();
    }

    /** Returns type, reason and message of all Events. */
    List<String> events() {
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
