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
 * A controller in a world of its own, without threads: everything it decides happens at once, and time passes only when it is let. Every
 * event is checked to change no two objects of one resource.
 */
public final class OneController implements Controller.Wakes {
    /** Far more than any test needs; a controller that goes in circles is found out. */
    private static final int MAX_LOOKS = 100_000;

    private final Controller controller;
    private final WorkQueue queue = new WorkQueue(Backoff.DEFAULT);
    private final List<String> happened = new ArrayList<>();
    private World world;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int looks;

    public OneController(Controller controller, String yaml) {
        this(controller, Worlds.of(yaml));
    }

    public OneController(Controller controller, World world) {
        this.controller = controller;
        this.world = world;
        controller.wakeable(this::now);
        for (StoredObject object : world.list(Scope.all())) {
            follow(Change.put(object, 0), Optional.empty());
        }
    }

    /** Puts objects, as users do. */
    public OneController put(String yaml) {
        for (ObjectNode object : Worlds.objects(yaml)) {
            happen(Proposal.by("tester", "Put").put(Worlds.draft(object)).build());
        }
        return this;
    }

    public OneController remove(String key) {
        StoredObject seen = world.get(ObjectKey.parse(key)).orElseThrow();
        happen(Proposal.by("tester", "Removed").remove(seen).build());
        return this;
    }

    /** Lets the controller work until nothing is due. */
    public OneController settle() {
        for (Optional<WorkQueue.Taken> taken = queue.take(nanos()); taken.isPresent(); taken = queue.take(nanos())) {
            assertThat(++looks).as("looks").isLessThan(MAX_LOOKS);
            ObjectKey key = taken.get().key();
            Decision decision = controller.reconcile(world, key, now);
            for (Proposal proposal : decision.proposals()) {
                happened.add(proposal.type() + " " + proposal.writes().get(0).key());
                assertThat(proposal.actor()).isEqualTo(controller.name());
                happen(proposal);
            }
            queue.succeeded(key, decision.lookAgain(), nanos());
        }
        return this;
    }

    public OneController pass(Duration time) {
        now = now.plus(time);
        return settle();
    }

    /** Lets time pass until something is due; whether anything is. */
    public boolean passUntilDue() {
        OptionalLong due = queue.nextDue();
        due.ifPresent(nanos -> now = now.plusNanos(Math.max(0, nanos - nanos())));
        settle();
        return due.isPresent();
    }

    /** What the controller did since it was asked last. */
    public List<String> did() {
        List<String> since = List.copyOf(happened);
        happened.clear();
        return since;
    }

    public World world() {
        return world;
    }

    public int looks() {
        return looks;
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

    private void happen(Proposal proposal) {
        Event event = Worlds.event(world, proposal);
        assertThat(event.changes().stream().map(change -> change.key().resource()))
                .doesNotHaveDuplicates();
        World before = world;
        world = world.after(event);
        for (Change change : event.changes()) {
            follow(change, before.get(change.key()));
        }
    }

    private void follow(Change change, Optional<StoredObject> before) {
        if (controller.scopes().stream().anyMatch(scope -> scope.contains(change.key()))) {
            controller.follow(change, before, world, this);
        }
    }

    @Override
    public void now(ObjectKey key) {
        queue.add(key, nanos());
    }

    @Override
    public void within(ObjectKey key, Duration delay) {
        queue.addAfter(key, delay, nanos());
    }

    private long nanos() {
        return Duration.between(Instant.EPOCH, now).toNanos();
    }
}
