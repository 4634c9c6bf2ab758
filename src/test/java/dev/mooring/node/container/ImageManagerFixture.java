package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.node.WorldPort;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.time.Clock;
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

/** Runs an {@link ImageManager} without threads: {@link #settle} runs its tasks, {@link #pass} advances its clock. */
final class ImageManagerFixture implements WorldPort {
    private static final Instant START = Instant.parse("2026-11-16T12:00:00Z");

    final Deque<Runnable> threads = new ArrayDeque<>();
    final List<String> requeued = new ArrayList<>();
    final FakeRegistry engine = new FakeRegistry();
    final ImageManager images;

    private final TestScheduler timers = new TestScheduler();
    private World world = WorldFixture.of("{kind: Namespace, metadata: {name: default}}");

    ImageManagerFixture() {
        this(new ImageManager.ImageLimits(2, ImageManager.ImageLimits.DEFAULT.backoff()));
    }

    ImageManagerFixture(ImageManager.ImageLimits limits) {
        images = images(engine, limits);
    }

    /** Returns a manager for another runtime; {@link #settle} runs its tasks too. */
    ImageManager images(ContainerRuntime runtime, ImageManager.ImageLimits limits) {
        return new ImageManager(
                runtime, new WorkContext(this, new FixtureClock(), timers, threads::add), "node/n1", limits);
    }

    ImageManagerFixture put(String yaml) {
        for (ObjectNode object : WorldFixture.objects(yaml)) {
            world = WorldFixture.put(world, object);
        }
        return this;
    }

    Pod pod(String name) {
        ObjectKey key = Pod.key("default", name);
        if (world.get(key).isEmpty()) {
            put("{kind: Pod, metadata: {name: " + name + ", namespace: default}, spec: {}}");
        }
        return Pod.of(world.get(key).orElseThrow());
    }

    static JsonNode container(String name, String image, String policy) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("name", name)
                .put("image", image)
                .put("imagePullPolicy", policy);
    }

    ImageState request(String pod, String image, String policy) {
        return request(images, pod, container("c", image, policy));
    }

    ImageState request(ImageManager manager, String pod, JsonNode container) {
        manager.request(pod(pod), container, key -> requeued.add(key.name()));
        return manager.state(pod(pod), container, now());
    }

    /** Requests an image, runs all tasks, requests it again, and describes the state. */
    String get(String pod, String image, String policy) {
        request(pod, image, policy);
        settle();
        return describe(request(pod, image, policy));
    }

    static String describe(ImageState state) {
        if (state instanceof ImageState.Failed failed) {
            return failed.reason() + ": " + failed.message();
        }
        return state instanceof ImageState.Present present
                ? "Present " + present.image().id()
                : "Pending";
    }

    long secondsUntilNext(ImageState state) {
        return ((ImageState.Failed) state).next().getEpochSecond() - now().getEpochSecond();
    }

    ImageManagerFixture settle() {
        while (!threads.isEmpty()) {
            threads.poll().run();
        }
        return this;
    }

    ImageManagerFixture pass(int seconds) {
        timers.advanceTimeBy(seconds, TimeUnit.SECONDS);
        return settle();
    }

    Instant now() {
        return START.plusMillis(timers.now(TimeUnit.MILLISECONDS));
    }

    /** Returns the Events of Pods in any order: type, reason, message and count. */
    List<String> recordedEvents() {
        List<String> events = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            JsonNode event = each.toTree();
            events.add(event.path("type").asText() + ' ' + event.path("reason").asText() + ' '
                    + event.path("message").asText() + " x"
                    + event.path("count").asInt());
        }
        return events;
    }

    @Override
    public World world() {
        return world;
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        Event event = WorldFixture.event(world, proposal);
        world = world.after(event);
        return CompletableFuture.completedStage(new Outcome.Committed(event));
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
            return now();
        }
    }
}
