package dev.mooring.node.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.control.Worlds;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.node.WorldPort;
import dev.mooring.node.work.WorkParts;
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

/** Images for the Pods of a World, without threads: each task happens when the test lets it, and time passes when it is let. */
final class ImageBench implements WorldPort {
    private static final Instant START = Instant.parse("2026-11-16T12:00:00Z");

    final Deque<Runnable> threads = new ArrayDeque<>();
    final List<String> woken = new ArrayList<>();
    final FakeRegistry engine = new FakeRegistry();
    final Images images;

    private final TestScheduler timers = new TestScheduler();
    private World world = Worlds.of("{kind: Namespace, metadata: {name: default}}");

    ImageBench() {
        this(new ImageLimits(2, ImageLimits.DEFAULT.backoff()));
    }

    ImageBench(ImageLimits limits) {
        images = images(engine, limits);
    }

    /** With another engine; its answers come in the end of {@link #settle} too. */
    Images images(ContainerRuntime runtime, ImageLimits limits) {
        return new Images(runtime, new WorkParts(this, new BenchClock(), timers, threads::add), "node/n1", limits);
    }

    ImageBench put(String yaml) {
        for (ObjectNode object : Worlds.objects(yaml)) {
            world = Worlds.put(world, object);
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

    ImageState ask(String pod, String image, String policy) {
        return ask(images, pod, container("c", image, policy));
    }

    ImageState ask(Images whom, String pod, JsonNode container) {
        return whom.wanted(pod(pod), container, key -> woken.add(key.name()));
    }

    /** Asks, lets happen what needs no time, and asks again. As a line. */
    String get(String pod, String image, String policy) {
        ask(pod, image, policy);
        settle();
        return words(ask(pod, image, policy));
    }

    static String words(ImageState state) {
        if (state instanceof ImageState.Failed failed) {
            return failed.reason() + ": " + failed.message();
        }
        return state instanceof ImageState.Present present
                ? "Present " + present.image().id()
                : "Coming";
    }

    long secondsUntilNext(ImageState state) {
        return ((ImageState.Failed) state).next().getEpochSecond() - now().getEpochSecond();
    }

    ImageBench settle() {
        while (!threads.isEmpty()) {
            threads.poll().run();
        }
        return this;
    }

    ImageBench pass(int seconds) {
        timers.advanceTimeBy(seconds, TimeUnit.SECONDS);
        return settle();
    }

    Instant now() {
        return START.plusMillis(timers.now(TimeUnit.MILLISECONDS));
    }

    /** What Pods were told, in any order: type, reason, message and how often. */
    List<String> told() {
        List<String> told = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            JsonNode event = StoredJson.tree(each);
            told.add(event.path("type").asText() + ' ' + event.path("reason").asText() + ' '
                    + event.path("message").asText() + " x"
                    + event.path("count").asInt());
        }
        return told;
    }

    @Override
    public World world() {
        return world;
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        Event event = Worlds.event(world, proposal);
        world = world.after(event);
        return CompletableFuture.completedStage(new Outcome.Committed(event));
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
            return now();
        }
    }
}
