package dev.mooring.node.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.ManyControllers;
import dev.mooring.control.Worlds;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.node.WorldPort;
import dev.mooring.node.work.WorkParts;
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

/** A world with controllers and what they set going, in virtual time and without threads. */
public final class LookoutBench implements WorldPort {
    public static final String NODE = "n1";

    /** Tasks that have been given a thread and not run yet. */
    public final Deque<Runnable> threads = new ArrayDeque<>();

    private final TestScheduler timers = new TestScheduler();
    private ManyControllers world;

    public LookoutBench(String yaml) {
        world = new ManyControllers(Worlds.of("""
            {kind: Namespace, metadata: {name: ns}}
            ---
            {kind: Namespace, metadata: {name: default}}
            ---
            {kind: Node, metadata: {name: n1}}
            """ + yaml), List.of());
    }

    public WorkParts parts() {
        return new WorkParts(this, new BenchClock(), timers, threads::add);
    }

    public LookoutBench start(Supplier<Controller> controller) {
        Duration passed = Duration.between(FIRST, world.now());
        world = new ManyControllers(world.world(), List.of(controller));
        world.wait(passed);
        return settle();
    }

    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");

    /** Lets everything happen that needs no time. */
    public LookoutBench settle() {
        world.settle();
        timers.triggerActions();
        while (!threads.isEmpty()) {
            threads.poll().run();
            timers.triggerActions();
            world.settle();
        }
        return this;
    }

    /** Second by second. */
    public LookoutBench pass(Duration time) {
        for (long i = 0; i < time.toSeconds(); i++) {
            world.wait(Duration.ofSeconds(1));
            timers.advanceTimeBy(1, TimeUnit.SECONDS);
            settle();
        }
        return this;
    }

    public LookoutBench put(String yaml) {
        Worlds.objects(yaml).forEach(world::put);
        return settle();
    }

    public LookoutBench change(String key, Consumer<ObjectNode> change) {
        ObjectNode object = Worlds.tree(world.world(), key);
        change.accept(object);
        world.put(object);
        return settle();
    }

    public LookoutBench remove(String key) {
        world.remove(ObjectKey.parse(key));
        return settle();
    }

    public ObjectNode tree(String key) {
        return Worlds.tree(world.world(), key);
    }

    public Instant now() {
        return world.now();
    }

    /** Types of events that were not about Events, since it was asked last. */
    public List<String> did() {
        return world.did().stream()
                .filter(each -> !each.startsWith("EventRecorded") && !each.startsWith("Put"))
                .toList();
    }

    /** {@code Type Reason Kind/name xCOUNT: message} */
    public List<String> told() {
        List<String> told = new ArrayList<>();
        for (StoredObject each : world.world().list(Scope.resource("events"))) {
            ObjectNode event = tree(each.key().text());
            told.add(event.path("type").asText() + ' ' + event.path("reason").asText() + ' '
                    + event.path("involvedObject").path("kind").asText() + '/'
                    + event.path("involvedObject").path("name").asText() + " x"
                    + event.path("count").asInt() + ": " + event.path("message").asText());
        }
        return told.stream().sorted().toList();
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
        Event event = Worlds.event(world(), proposal);
        assertThat(world.happen(proposal)).isTrue();
        return CompletableFuture.completedFuture(new Outcome.Committed(event));
    }

    private final class BenchClock extends Clock {
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
