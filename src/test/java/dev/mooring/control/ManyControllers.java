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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Several controllers in one world, without threads. They may be let work until nothing is due, or be taken through every interleaving that
 * threads could bring about, one small step at a time: a change is told (each scope by itself, as late as it pleases), a key is looked at,
 * one proposal of a decision arrives at the ledger, where it may come too late. Time passes only when it is let.
 *
 * <p>Every event is checked to change no two objects of one resource.
 */
public final class ManyControllers {
    /** Far more than any test needs; controllers that chase each other are found out. */
    private static final int MAX_LOOKS = 20_000;

    /** Keys of one controller that are decided at a time. */
    private static final int MAX_WORKING = 4;

    private final List<Runner> runners = new ArrayList<>();
    private final List<Proposal> orphans = new ArrayList<>();
    private final List<BiConsumer<World, Event>> witnesses = new ArrayList<>();
    private final List<String> happened = new ArrayList<>();
    private World world;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int looks;

    public ManyControllers(World world, List<? extends Supplier<? extends Controller>> controllers) {
        this.world = world;
        controllers.forEach(each -> runners.add(new Runner(each)));
    }

    /** Has somebody see every event, with the world as it was before. */
    public void witness(BiConsumer<World, Event> witness) {
        witnesses.add(witness);
    }

    public World world() {
        return world;
    }

    public Instant now() {
        return now;
    }

    /** What the controllers did since it was asked last: type and first object of each event. */
    public List<String> did() {
        List<String> since = List.copyOf(happened);
        happened.clear();
        return since;
    }

    /** Puts objects, as users do. */
    public ManyControllers put(ObjectNode object) {
        happen(Proposal.by("tester", "Put").put(Worlds.draft(object)).build());
        return this;
    }

    /** Takes an object away by force. */
    public ManyControllers remove(ObjectKey key) {
        world.get(key)
                .ifPresent(seen ->
                        happen(Proposal.by("tester", "Removed").remove(seen).build()));
        return this;
    }

    /** Makes an event of a proposal; whether all it expects was so. */
    public boolean happen(Proposal proposal) {
        for (Proposal.Expectation expectation : proposal.expectations()) {
            long found =
                    world.get(expectation.key()).map(StoredObject::revision).orElse(0L);
            if (found != expectation.revision()) {
                return false;
            }
        }
        Event event = Worlds.event(world, proposal);
        assertThat(event.changes().stream().map(change -> change.key().resource()))
                .as("resources changed by %s", proposal)
                .doesNotHaveDuplicates();
        World before = world;
        world = world.after(event);
        happened.add(event.type() + " " + event.changes().get(0).key());
        for (Change change : event.changes()) {
            runners.forEach(each -> each.hear(change, before.get(change.key())));
        }
        witnesses.forEach(each -> each.accept(before, event));
        return true;
    }

    /** Lets all of them work until nothing is due. */
    public ManyControllers settle() {
        looks = 0;
        boolean busy = true;
        while (busy) {
            busy = false;
            for (Runner each : runners) {
                busy |= each.workAll();
            }
            orphans.forEach(this::happen);
            orphans.clear();
        }
        return this;
    }

    public ManyControllers pass(Duration time) {
        now = now.plus(time);
        return settle();
    }

    /** Lets time alone pass. */
    public void wait(Duration time) {
        now = now.plus(time);
    }

    /** Takes one step that threads could take next; false if there is none. */
    public boolean step(Random chance) {
        List<Runnable> steps = new ArrayList<>();
        runners.forEach(each -> each.collectSteps(steps));
        for (int i = 0; i < orphans.size(); i++) {
            int which = i;
            steps.add(() -> happen(orphans.remove(which)));
        }
        if (steps.isEmpty()) {
            return false;
        }
        steps.get(chance.nextInt(steps.size())).run();
        return true;
    }

    public int size() {
        return runners.size();
    }

    /** Kills a controller and starts it again. What it had sent to the ledger may still arrive. */
    public void restart(int which) {
        Runner killed = runners.get(which);
        killed.underWay.forEach(each -> orphans.addAll(each.left));
        runners.set(which, new Runner(killed.maker));
    }

    private long nanos() {
        return Duration.between(Instant.EPOCH, now).toNanos();
    }

    /** A change, and the object it replaced. */
    private record Told(Change change, Optional<StoredObject> before) {}

    /** A decision whose proposals arrive one by one. */
    private static final class UnderWay {
        private final ObjectKey key;
        private final Optional<Duration> lookAgain;
        private final Deque<Proposal> left;
        private boolean conflicted;

        private UnderWay(ObjectKey key, Decision decision) {
            this.key = key;
            this.lookAgain = decision.lookAgain();
            this.left = new ArrayDeque<>(decision.proposals());
        }
    }

    /** One controller with what it has not heard yet, what is due, and what is on its way. */
    private final class Runner implements Controller.Wakes {
        private final Supplier<? extends Controller> maker;
        private final Controller controller;
        private final WorkQueue queue = new WorkQueue(Backoff.DEFAULT);
        private final Map<Scope, Deque<Told>> untold = new LinkedHashMap<>();
        private final List<UnderWay> underWay = new ArrayList<>();

        private Runner(Supplier<? extends Controller> maker) {
            this.maker = maker;
            this.controller = maker.get();
            controller.wakeable(this::now);
            for (Scope scope : controller.scopes()) {
                untold.put(scope, new ArrayDeque<>());
                world.list(scope)
                        .forEach(object -> controller.follow(Change.put(object, 0), Optional.empty(), world, this));
            }
        }

        private void hear(Change change, Optional<StoredObject> before) {
            untold.forEach((scope, told) -> {
                if (scope.contains(change.key())) {
                    told.add(new Told(change, before));
                }
            });
        }

        private void tell(Deque<Told> told) {
            Told next = told.remove();
            controller.follow(next.change(), next.before(), world, this);
        }

        private void look(ObjectKey key) {
            assertThat(++looks)
                    .as("looks; the last was at %s by %s", key, controller.name())
                    .isLessThan(MAX_LOOKS);
            Decision decision = controller.reconcile(world, key, now);
            if (decision.proposals().isEmpty()) {
                queue.succeeded(key, decision.lookAgain(), nanos());
            } else {
                underWay.add(new UnderWay(key, decision));
            }
        }

        private void arrive(UnderWay decided) {
            decided.conflicted |= !happen(decided.left.remove());
            if (!decided.left.isEmpty()) {
                return;
            }
            underWay.remove(decided);
            if (decided.conflicted) {
                queue.conflicted(decided.key, nanos());
            } else {
                queue.succeeded(decided.key, decided.lookAgain, nanos());
            }
        }

        private boolean workAll() {
            boolean worked = false;
            for (List<Runnable> steps = steps(); !steps.isEmpty(); steps = steps()) {
                steps.get(0).run();
                worked = true;
            }
            return worked;
        }

        private List<Runnable> steps() {
            List<Runnable> steps = new ArrayList<>();
            collectSteps(steps);
            return steps;
        }

        private void collectSteps(List<Runnable> steps) {
            for (Deque<Told> told : untold.values()) {
                if (!told.isEmpty()) {
                    steps.add(() -> tell(told));
                }
            }
            for (UnderWay each : underWay) {
                steps.add(() -> arrive(each));
            }
            if (underWay.size() < MAX_WORKING && isDue()) {
                steps.add(() -> queue.take(nanos()).ifPresent(taken -> look(taken.key())));
            }
        }

        private boolean isDue() {
            return queue.nextDue().isPresent() && queue.nextDue().getAsLong() <= nanos();
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
}
