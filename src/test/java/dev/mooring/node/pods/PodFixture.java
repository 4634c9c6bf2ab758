package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import dev.mooring.control.StoredJson;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.PodNetworking;
import dev.mooring.node.volumemanager.NodeExtension;
import dev.mooring.node.volumemanager.PodStateProvider;
import dev.mooring.node.volumemanager.VolumeManagerFixture;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.EngineException;
import dev.mooring.volume.NodeLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Supplier;

/** A node with volumes and an engine, in virtual time and without threads; the test or a seed chooses the next step. */
final class PodFixture implements NodeExtension.Factory {
    static final int POD_CONTROLLER = 4;

    private static final String NODE = """
        ---
        {kind: Node, metadata: {name: n1}, status: {nodeInfo: {containerRuntimeVersion: "fake://1"}, addresses: [{type: InternalIP,
         address: 10.9.9.9}], conditions: [{type: Ready, status: "True"}]}}
        """;

    final Random random;
    final FakeContainerRuntime engine;
    final VolumeManagerFixture volumes;
    ContainerCache cache;
    PodRequeue requeue;
    PodContext context;
    private final Path directory;
    private final boolean hadEngine;
    private final Map<String, String> policies = new HashMap<>();
    private final Map<String, Integer> restarts = new HashMap<>();
    private VolumeManagerFixture running;

    PodFixture(long seed, Path directory) {
        this(seed, directory, NODE);
    }

    /** @param node YAML of the Node; it had an engine if it has a containerRuntimeVersion */
    PodFixture(long seed, Path directory, String node) {
        this.directory = directory;
        this.hadEngine = node.contains("containerRuntimeVersion");
        this.random = new Random(seed);
        this.engine = new FakeContainerRuntime(
                () -> running == null
                        ? ContainerFactsFixture.START
                        : running.controllers().now(),
                path -> running.kernel.mounted.containsKey(path));
        this.volumes = new VolumeManagerFixture(node, this);
        this.running = volumes;
        volumes.kernel.used = engine::uses;
        engine.mayStart = this::mayStart;
        engine.isFinal = this::isFinal;
    }

    @Override
    public NodeExtension create(WorkContext work) {
        cache = new ContainerCache(() -> hadEngine);
        requeue = new PodRequeue();
        ContainerSpecs specs = new ContainerSpecs(new ContainerSpecs.ContainerSpecContext(
                new NodeLayout(directory.toAbsolutePath()),
                new FakeMountTableMounter(() -> running.kernel.mounted.keySet()),
                SystemCalls.real(),
                null,
                key -> work.world().world().get(key).map(StoredObject::toTree),
                () -> new Dns(List.of(), List.of(), List.of()),
                PodNetworking.NONE,
                () -> false,
                () -> true,
                OptionalLong.empty()));
        PodRuntime pods = new PodRuntime(
                new PodRuntime.Dependencies("n1", "i", engine, cache, specs, new Random(1)),
                () -> "pause",
                work,
                requeue,
                state -> {});
        context = pods.context();
        return new NodeExtension() {
            @Override
            public PodStateProvider containers(PodStateProvider defaultProvider) {
                return cache;
            }

            @Override
            public EffectExecutor effects() {
                return pods.effects();
            }

            @Override
            public List<Supplier<Controller>> controllers() {
                return List.of(pods::newController);
            }
        };
    }

    private boolean mayStart(String uid) {
        for (StoredObject each : volumes.world().list(Scope.resource("pods"))) {
            if (StoredJson.uid(each).equals(uid)) {
                Pod pod = Pod.of(each);
                return !pod.isBeingDeleted() && !pod.isFinished();
            }
        }
        return false;
    }

    private boolean isFinal(ContainerFacts facts, int exit) {
        String policy = policies.getOrDefault(facts.identity().podUid(), "Always");
        return facts.identity().role() == ContainerLabels.ContainerRole.CONTAINER
                && (policy.equals("Never") || (policy.equals("OnFailure") && exit == 0));
    }

    /** Lists the containers or handles the next event, as the {@link RuntimeWatcher} does. */
    void deliverRuntimeEvents() {
        String id = null;
        try {
            if (!cache.isPresent()) {
                long ticket = cache.ticket();
                cache.load(engine.list("i"), ticket);
                requeue.requeueAll();
            } else if (!engine.pendingEvents.isEmpty()) {
                id = engine.pendingEvents.poll();
                long ticket = cache.ticket();
                Optional<ContainerFacts> facts = engine.inspect(id);
                (facts.isPresent() ? cache.put(facts.get(), ticket) : cache.removed(id)).ifPresent(requeue);
            }
        } catch (EngineException e) {
            if (e.kind() == EngineException.Kind.UNREACHABLE || id == null) {
                cache.markAbsent(e.getMessage());
            } else {
                engine.pendingEvents.add(id);
            }
        }
    }

    /** Runs a number of random steps, in an order that threads could produce. */
    void steps(int count) {
        for (int i = 0; i < count; i++) {
            if (random.nextInt(4) == 0) {
                deliverRuntimeEvents();
            } else {
                volumes.step(random);
            }
        }
    }

    /** Runs everything that needs no time. */
    PodFixture settle() {
        int events = -1;
        while (events != engine.pendingEvents.size() || !cache.isPresent()) {
            volumes.settle();
            events = engine.pendingEvents.size();
            for (int i = 0; i <= events; i++) {
                deliverRuntimeEvents();
            }
            if (engine.down || engine.broken.contains("list")) {
                break;
            }
        }
        volumes.settle();
        return this;
    }

    PodFixture pass(Duration time) {
        volumes.wait(time);
        return settle();
    }

    void put(String pod) {
        policies.put(between(pod, "uid: ", "}"), between(pod, "restartPolicy: ", ","));
        volumes.put(pod);
    }

    private static String between(String text, String before, String after) {
        int start = text.indexOf(before) + before.length();
        return text.substring(start, text.indexOf(after, start)).strip();
    }

    void delete(String name, int seconds) {
        Instant now = volumes.controllers().now();
        Optional<Pod> pod = pod(name);
        boolean isEarlier = pod.filter(each -> !each.isBeingDeleted()
                        || Instant.parse(each.metadata()
                                        .path("deletionTimestamp")
                                        .asText())
                                .isAfter(now.plusSeconds(seconds)))
                .isPresent();
        if (isEarlier) {
            volumes.change(
                    "pods/ns/" + name,
                    each -> each.withObject("/metadata")
                            .put("deletionTimestamp", now.plusSeconds(seconds).toString())
                            .put("deletionGracePeriodSeconds", seconds));
        }
    }

    Optional<Pod> pod(String name) {
        return volumes.world().get(Pod.key("ns", name)).map(Pod::of);
    }

    JsonNode status(String name) {
        return pod(name).orElseThrow().status();
    }

    List<ObjectKey> podKeys() {
        List<ObjectKey> keys = new ArrayList<>();
        volumes.world().list(Scope.resource("pods")).forEach(each -> keys.add(each.key()));
        return keys;
    }

    List<String> live(String uid) {
        return engine.live().stream()
                .filter(each -> each.identity().podUid().equals(uid))
                .map(each -> each.identity().container())
                .sorted()
                .toList();
    }

    List<String> recordedEvents(String reason) {
        return volumes.recordedEvents().stream()
                .filter(each -> each.contains(" " + reason + " "))
                .toList();
    }

    /** Asserts the invariants that hold at any time. */
    void check() {
        assertThat(engine.violations).isEmpty();
        assertThat(volumes.kernel.violations).isEmpty();
        for (StoredObject each : volumes.world().list(Scope.resource("pods"))) {
            Pod pod = Pod.of(each);
            for (String list : List.of("initContainerStatuses", "containerStatuses")) {
                for (JsonNode status : pod.status().path(list)) {
                    String container = pod.uid() + '/' + status.path("name").asText();
                    int now = status.path("restartCount").asInt();
                    assertThat(now)
                            .as("restartCount of %s", container)
                            .isGreaterThanOrEqualTo(restarts.getOrDefault(container, 0));
                    restarts.put(container, now);
                }
            }
        }
    }

    void assertNothingIsLeft() {
        assertThat(engine.all()).isEmpty();
        assertThat(podKeys()).isEmpty();
        assertThat(cache.isEmpty()).as("container cache is empty").isTrue();
        assertThat(context.messages().size()).as("termination messages").isZero();
        volumes.assertNothingIsLeft();
    }
}
