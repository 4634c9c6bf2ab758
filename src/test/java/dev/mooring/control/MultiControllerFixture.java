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
 * Runs several controllers on one World without threads, either until no key is due or through any interleaving that
 * threads could produce, one step at a time: a change is delivered (each scope on its own, with any delay), a key is
 * reconciled, or one proposal of a decision reaches the ledger, where it may conflict. Time passes only when a test
 * advances it.
 *
 * <p>Every event is checked to change no two objects of one resource. Controllers of nodes are asked twice, and also
 * about an earlier World, in {@link #isReconciling}: the owner of a fixture checks that nothing is started meanwhile.
 */
public final class MultiControllerFixture {
    /** Far more than any test needs; exceeded only by controllers that undo each other's changes. */
    private static final int MAX_RECONCILES = 20_000;

    /** Maximum number of keys of one controller with decisions in progress. */
    private static final int MAX_WORKING = 4;

    private final EffectExecutor effects;
    private final List<ControllerRunner> runners = new ArrayList<>();
    private final List<Proposal> orphans = new ArrayList<>();
    private final List<BiConsumer<World, Event>> observers = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private World world;
    private World earlier;
    private boolean reconciling;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int reconciles;

    public MultiControllerFixture(World world, List<? extends Supplier<? extends Controller>> controllers) {
        this(world, controllers, EffectExecutor.NONE);
    }

    public MultiControllerFixture(
            World world, List<? extends Supplier<? extends Controller>> controllers, EffectExecutor effects) {
        this.world = world;
        this.earlier = world;
        this.effects = effects;
        controllers.forEach(each -> runners.add(new ControllerRunner(each)));
    }

    /** Adds an observer of every event; it also gets the World before the event. */
    public void observe(BiConsumer<World, Event> observer) {
        observers.add(observer);
    }

    public World world() {
        return world;
    }

    /** Returns whether a controller is deciding, which must start nothing. */
    public boolean isReconciling() {
        return reconciling;
    }

    public Instant now() {
        return now;
    }

    /** Returns the events since the last call: type and first object of each. */
    public List<String> takeEvents() {
        List<String> since = List.copyOf(events);
        events.clear();
        return since;
    }

    /** Creates or replaces an object, like a user. */
    public MultiControllerFixture put(ObjectNode object) {
        commit(Proposal.by("tester", "Put").put(WorldFixture.draft(object)).build());
        return this;
    }

    /** Removes an object regardless of its finalizers. */
    public MultiControllerFixture remove(ObjectKey key) {
        world.get(key)
                .ifPresent(seen ->
                        commit(Proposal.by("tester", "Removed").remove(seen).build()));
        return this;
    }

    /** Commits a proposal. Returns false if one of its expectations does not hold. */
    public boolean commit(Proposal proposal) {
        for (Proposal.Expectation expectation : proposal.expectations()) {
            long found =
                    world.get(expectation.key()).map(StoredObject::revision).orElse(0L);
            if (found != expectation.revision()) {
                return false;
            }
        }
        Event event = WorldFixture.event(world, proposal);
        assertThat(event.changes().stream().map(change -> change.key().resource()))
                .as("resources changed by %s", proposal)
                .doesNotHaveDuplicates();
        World before = world;
        world = world.after(event);
        events.add(event.type() + " " + event.changes().get(0).key());
        for (Change change : event.changes()) {
            runners.forEach(each -> each.receive(change, before.get(change.key())));
        }
        observers.forEach(each -> each.accept(before, event));
        return true;
    }

    /** Runs all controllers until no key is due. */
    public MultiControllerFixture settle() {
        reconciles = 0;
        boolean busy = true;
        while (busy) {
            busy = false;
            for (ControllerRunner each : runners) {
                busy |= each.workAll();
            }
            orphans.forEach(this::commit);
            orphans.clear();
        }
        return this;
    }

    public MultiControllerFixture advance(Duration time) {
        now = now.plus(time);
        return settle();
    }

    /** Advances the clock without running the controllers. */
    public void advanceClock(Duration time) {
        now = now.plus(time);
    }

    /** Runs one random step of those that threads could run next. Returns false if there is none. */
    public boolean step(Random random) {
        List<Runnable> steps = new ArrayList<>();
        runners.forEach(each -> each.collectSteps(steps));
        for (int i = 0; i < orphans.size(); i++) {
            int index = i;
            steps.add(() -> commit(orphans.remove(index)));
        }
        if (steps.isEmpty()) {
            return false;
        }
        steps.get(random.nextInt(steps.size())).run();
        return true;
    }

    public int size() {
        return runners.size();
    }

    /** Kills a controller and starts a new one. Proposals of the old one may still reach the ledger. */
    public void restart(int index) {
        ControllerRunner killed = runners.get(index);
        killed.decisions.forEach(each -> orphans.addAll(each.left));
        runners.set(index, new ControllerRunner(killed.supplier));
    }

    private long nanos() {
        return Duration.between(Instant.EPOCH, now).toNanos();
    }

    /** A change, and the object it replaced. */
    private record PendingChange(Change change, Optional<StoredObject> before) {}

    /** A decision whose proposals arrive one by one. */
    private static final class PendingDecision {
        private final ObjectKey key;
        private final Decision decision;
        private final Deque<Proposal> left;
        private boolean conflicted;

        private PendingDecision(ObjectKey key, Decision decision) {
            this.key = key;
            this.decision = decision;
            this.left = new ArrayDeque<>(decision.proposals());
        }
    }

    /** One controller with its undelivered changes, its queue and its pending decisions. */
    private final class ControllerRunner implements Controller.Enqueuer {
        private final Supplier<? extends Controller> supplier;
        private final Controller controller;
        private final WorkQueue queue = new WorkQueue(Backoff.DEFAULT);
        private final Map<Scope, Deque<PendingChange>> undelivered = new LinkedHashMap<>();
        private final List<PendingDecision> decisions = new ArrayList<>();

        private ControllerRunner(Supplier<? extends Controller> supplier) {
            this.supplier = supplier;
            this.controller = supplier.get();
            controller.setExternalEnqueue(this::enqueue);
            for (Scope scope : controller.scopes()) {
                undelivered.put(scope, new ArrayDeque<>());
                world.list(scope)
                        .forEach(object -> controller.onChange(Change.put(object, 0), Optional.empty(), world, this));
            }
        }

        private void receive(Change change, Optional<StoredObject> before) {
            undelivered.forEach((scope, pending) -> {
                if (scope.contains(change.key())) {
                    pending.add(new PendingChange(change, before));
                }
            });
        }

        private void deliver(Deque<PendingChange> pending) {
            PendingChange next = pending.remove();
            controller.onChange(next.change(), next.before(), world, this);
        }

        private void reconcile(ObjectKey key) {
            assertThat(++reconciles)
                    .as("reconciles; the last one of %s by %s", key, controller.name())
                    .isLessThan(MAX_RECONCILES);
            Decision decision = ask(key);
            if (decision.proposals().isEmpty()) {
                complete(key, decision);
            } else {
                decisions.add(new PendingDecision(key, decision));
            }
        }

        private Decision ask(ObjectKey key) {
            reconciling = true;
            try {
                if (!controller.getClass().getName().startsWith("dev.mooring.node.")) {
                    return controller.reconcile(world, key, now);
                }
                controller.reconcile(earlier, key, now);
                earlier = world;
                Decision decision = controller.reconcile(world, key, now);
                assertThat(controller.reconcile(world, key, now))
                        .as("second decision of %s about %s", controller.metricName(), key)
                        .isEqualTo(decision);
                return decision;
            } finally {
                reconciling = false;
            }
        }

        private void commitNext(PendingDecision decided) {
            decided.conflicted |= !commit(decided.left.remove());
            if (!decided.left.isEmpty()) {
                return;
            }
            decisions.remove(decided);
            if (decided.conflicted) {
                queue.conflicted(decided.key, nanos());
            } else {
                complete(decided.key, decided.decision);
            }
        }

        private void complete(ObjectKey key, Decision decision) {
            decision.effects().forEach(effects::execute);
            queue.succeeded(key, decision.requeueAfter(), nanos());
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
            for (Deque<PendingChange> pending : undelivered.values()) {
                if (!pending.isEmpty()) {
                    steps.add(() -> deliver(pending));
                }
            }
            for (PendingDecision each : decisions) {
                steps.add(() -> commitNext(each));
            }
            if (decisions.size() < MAX_WORKING && isDue()) {
                steps.add(() -> queue.take(nanos()).ifPresent(taken -> reconcile(taken.key())));
            }
        }

        private boolean isDue() {
            return queue.nextDue().isPresent() && queue.nextDue().getAsLong() <= nanos();
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
}
