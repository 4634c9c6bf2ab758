package dev.mooring.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import dev.mooring.control.MultiControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.node.WorldPort;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A World with controllers and their tasks, in virtual time and without threads. */
public final class NodeControllersFixture implements WorldPort {
    public static final String NODE = "n1";

    /** Tasks that were submitted and have not run yet. */
    public final Deque<Runnable> threads = new ArrayDeque<>();

    private final TestScheduler timers = new TestScheduler();
    private MultiControllerFixture world;

    public NodeControllersFixture(String yaml) {
        world = new MultiControllerFixture(WorldFixture.of("""
            {kind: Namespace, metadata: {name: ns}}
            ---
            {kind: Namespace, metadata: {name: default}}
            ---
            {kind: Node, metadata: {name: n1}}
            """ + yaml), List.of());
    }

    public WorkContext context() {
        return new WorkContext(this, new FixtureClock(), timers, this::runLater);
    }

    private void runLater(Runnable task) {
        assertThat(world.isReconciling()).as("starts work while it decides").isFalse();
        threads.add(task);
    }

    public NodeControllersFixture start(Supplier<Controller> controller) {
        return start(controller, EffectExecutor.NONE);
    }

    public NodeControllersFixture start(Supplier<Controller> controller, EffectExecutor effects) {
        Duration passed = Duration.between(FIRST, world.now());
        world = new MultiControllerFixture(world.world(), List.of(controller), effects);
        world.advanceClock(passed);
        return settle();
    }

    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");

    /** Runs everything that needs no time. */
    public NodeControllersFixture settle() {
        world.settle();
        timers.triggerActions();
        while (!threads.isEmpty()) {
            threads.poll().run();
            timers.triggerActions();
            world.settle();
        }
        return this;
    }

    /** Advances the clock second by second. */
    public NodeControllersFixture pass(Duration time) {
        for (long i = 0; i < time.toSeconds(); i++) {
            world.advanceClock(Duration.ofSeconds(1));
            timers.advanceTimeBy(1, TimeUnit.SECONDS);
            settle();
        }
        return this;
    }

    public NodeControllersFixture put(String yaml) {
        WorldFixture.objects(yaml).forEach(world::put);
        return settle();
    }

    public NodeControllersFixture change(String key, Consumer<ObjectNode> change) {
        ObjectNode object = WorldFixture.tree(world.world(), key);
        change.accept(object);
        world.put(object);
        return settle();
    }

    public NodeControllersFixture remove(String key) {
        world.remove(ObjectKey.parse(key));
        return settle();
    }

    public ObjectNode tree(String key) {
        return WorldFixture.tree(world.world(), key);
    }

    public Instant now() {
        return world.now();
    }

    /** Returns the types of events since the last call, without those of Event objects. */
    public List<String> eventTypes() {
        return world.takeEvents().stream()
                .filter(each -> !each.startsWith("EventRecorded") && !each.startsWith("Put"))
                .toList();
    }

    /** Returns the Event objects as {@code Type Reason Kind/name xCOUNT: message}. */
    public List<String> recordedEvents() {
        List<String> events = new ArrayList<>();
        for (StoredObject each : world.world().list(Scope.resource("events"))) {
            ObjectNode event = tree(each.key().text());
            events.add(event.path("type").asText() + ' ' + event.path("reason").asText() + ' '
                    + event.path("involvedObject").path("kind").asText() + '/'
                    + event.path("involvedObject").path("name").asText() + " x"
                    + event.path("count").asInt() + ": " + event.path("message").asText());
        }
        return events.stream().sorted().toList();
    }

    @Override
    public World world() {
        return world.world();
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        for (Proposal.Expectation each : proposal.expectations()) {
            long found = world().get(each.key()).map(StoredObject::revision).orElse(0L);
            if (found != each.revision()) {
                return CompletableFuture.completedFuture(new Outcome.Conflict(each.key(), each.revision(), found));
            }
        }
        Event event = WorldFixture.event(world(), proposal);
        assertThat(world.commit(proposal)).isTrue();
        return CompletableFuture.completedFuture(new Outcome.Committed(event));
    }

    private final class FixtureClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return world.now();
        }
    }
}
