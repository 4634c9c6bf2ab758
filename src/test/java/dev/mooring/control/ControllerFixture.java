package dev.mooring.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Runs one controller on its own World without threads: decisions are committed at once, and time passes only in
 * {@link #advance}. Every event is checked to change no two objects of one resource.
 */
public final class ControllerFixture implements Controller.Enqueuer {
    /** Far more than any test needs; exceeded only by a controller that never settles. */
    private static final int MAX_RECONCILES = 100_000;

    private final Controller controller;
    private final EffectExecutor effects;
    private final WorkQueue queue = new WorkQueue(Backoff.DEFAULT);
    private final List<String> events = new ArrayList<>();
    private World world;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int reconciles;

    public ControllerFixture(Controller controller, String yaml) {
        this(controller, WorldFixture.of(yaml));
    }

    public ControllerFixture(Controller controller, World world) {
        this(controller, EffectExecutor.NONE, world);
    }

    public ControllerFixture(Controller controller, EffectExecutor effects, World world) {
        this.controller = controller;
        this.effects = effects;
        this.world = world;
        controller.setExternalEnqueue(this::enqueue);
        for (StoredObject object : world.list(Scope.all())) {
            notifyController(Change.put(object, 0), Optional.empty());
        }
    }

    /** Creates or replaces objects, like a user. */
    public ControllerFixture put(String yaml) {
        for (ObjectNode object : WorldFixture.objects(yaml)) {
            commit(Proposal.by("tester", "Put").put(WorldFixture.draft(object)).build());
        }
        return this;
    }

    public ControllerFixture remove(String key) {
        StoredObject seen = world.get(ObjectKey.parse(key)).orElseThrow();
        commit(Proposal.by("tester", "Removed").remove(seen).build());
        return this;
    }

    /** Runs the controller until no key is due. */
    public ControllerFixture settle() {
        for (Optional<WorkQueue.QueuedKey> taken = queue.take(nanos());
                taken.isPresent();
                taken = queue.take(nanos())) {
            assertThat(++reconciles).as("reconciles").isLessThan(MAX_RECONCILES);
            ObjectKey key = taken.get().key();
            Decision decision = controller.reconcile(world, key, now);
            for (Proposal proposal : decision.proposals()) {
                events.add(proposal.type() + " " + proposal.writes().get(0).key());
                assertThat(proposal.actor()).isEqualTo(controller.name());
                commit(proposal);
            }
            decision.effects().forEach(effects::execute);
            queue.succeeded(key, decision.requeueAfter(), nanos());
        }
        return this;
    }

    public ControllerFixture advance(Duration time) {
        now = now.plus(time);
        return settle();
    }

    /** Advances the clock to the next due key and settles. Returns whether a key was queued. */
    public boolean advanceUntilDue() {
        OptionalLong due = queue.nextDue();
        due.ifPresent(nanos -> now = now.plusNanos(Math.max(0, nanos - nanos())));
        settle();
        return due.isPresent();
    }

    /** Returns the controller's events since the last call. */
    public List<String> takeEvents() {
        List<String> since = List.copyOf(events);
        events.clear();
        return since;
    }

    public World world() {
        return world;
    }

    public int reconciles() {
        return reconciles;
    }

    public Instant now() {
        return now;
    }

    public int waiting() {
        return queue.size();
    }

    public Set<String> keys() {
        Set<String> keys = new HashSet<>();
        world.list(Scope.all()).forEach(object -> keys.add(object.key().text()));
        return keys;
    }

    private void commit(Proposal proposal) {
        Event event = WorldFixture.event(world, proposal);
        assertThat(event.changes().stream().map(change -> change.key().resource()))
                .doesNotHaveDuplicates();
        World before = world;
        world = world.after(event);
        for (Change change : event.changes()) {
            notifyController(change, before.get(change.key()));
        }
    }

    private void notifyController(Change change, Optional<StoredObject> before) {
        if (controller.scopes().stream().anyMatch(scope -> scope.contains(change.key()))) {
            controller.onChange(change, before, world, this);
        }
    }

    @Override
    public void enqueue(ObjectKey key) {
        queue.add(key, nanos());
    }

    @Override
    public void enqueueWithin(ObjectKey key, Duration delay) {
        queue.addAfter(key, delay, nanos());
    }

    private long nanos() {
        return Duration.between(Instant.EPOCH, now).toNanos();
    }
}
