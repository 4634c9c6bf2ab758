package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Controller;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.SpecParts;
import dev.mooring.node.desired.Containers;
import dev.mooring.node.reconcile.NodeGuest;
import dev.mooring.node.reconcile.VolumeBench;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.Labels;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.path.SystemCalls;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/** A node with volumes and an engine, in virtual time and without threads: what happens next, the test says, or a seed. */
final class PodBench implements NodeGuest.Maker {
    static final int DRIVER = 4;

    private static final String NODE = """
        ---
        {kind: Node, metadata: {name: n1}, status: {nodeInfo: {containerRuntimeVersion: "fake://1"}, addresses: [{type: InternalIP,
         address: 10.9.9.9}], conditions: [{type: Ready, status: "True"}]}}
        """;

    final Random chance;
    final FakeEngine engine;
    final VolumeBench bench;
    ContainerBook book;
    PodWakes wakes;
    PodParts parts;
    private final Path own;
    private final boolean hadEngine;
    private final Map<String, String> policies = new HashMap<>();
    private final Map<String, Integer> restarts = new HashMap<>();
    private VolumeBench running;

    PodBench(long seed, Path own) {
        this(seed, own, NODE);
    }

    /** @param node that there is, without an engine it once had if it says so */
    PodBench(long seed, Path own, String node) {
        this.own = own;
        this.hadEngine = node.contains("containerRuntimeVersion");
        this.chance = new Random(seed);
        this.engine = new FakeEngine(
                () -> running == null ? Facts.START : running.controllers().now(),
                path -> running.kernel.mounted.containsKey(path));
        this.bench = new VolumeBench(node, this);
        this.running = bench;
        bench.kernel.used = engine::uses;
        engine.mayBegin = this::mayBegin;
        engine.isOver = this::isOver;
    }

    @Override
    public NodeGuest begin(WorkParts work) {
        book = new ContainerBook(() -> hadEngine);
        wakes = new PodWakes();
        ContainerSpecs specs = new ContainerSpecs(new SpecParts(
                new NodeLayout(own.toAbsolutePath()),
                new BenchMounter(() -> running.kernel.mounted.keySet()),
                SystemCalls.real(),
                null,
                key -> work.world().world().get(key).map(StoredJson::tree),
                () -> new Dns(List.of(), List.of(), List.of()),
                () -> false,
                () -> true));
        Pods pods = new Pods(
                new Pods.Given("n1", "i", engine, book, specs, new Random(1)), () -> "pause", work, wakes, state -> {});
        parts = pods.parts();
        return new NodeGuest() {
            @Override
            public Containers containers(Containers usual) {
                return book;
            }

            @Override
            public List<Supplier<Controller>> controllers() {
                return List.of(pods::driver);
            }
        };
    }

    private boolean mayBegin(String uid) {
        for (StoredObject each : bench.world().list(Scope.resource("pods"))) {
            if (StoredJson.uid(each).equals(uid)) {
                Pod pod = Pod.of(each);
                return !pod.isBeingDeleted() && !pod.isFinished();
            }
        }
        return false;
    }

    private boolean isOver(ContainerFacts facts, int exit) {
        String policy = policies.getOrDefault(facts.whose().podUid(), "Always");
        return facts.whose().role() == Labels.Role.CONTAINER
                && (policy.equals("Never") || (policy.equals("OnFailure") && exit == 0));
    }

    /** What the link to the engine does. */
    void listen() {
        String id = null;
        try {
            if (!book.isPresent()) {
                long ticket = book.ticket();
                book.load(engine.list("i"), ticket);
                wakes.everything();
            } else if (!engine.news.isEmpty()) {
                id = engine.news.poll();
                long ticket = book.ticket();
                Optional<ContainerFacts> facts = engine.inspect(id);
                (facts.isPresent() ? book.put(facts.get(), ticket) : book.removed(id)).ifPresent(wakes);
            }
        } catch (EngineException e) {
            if (e.kind() == EngineException.Kind.UNREACHABLE || id == null) {
                book.absent(e.getMessage());
            } else {
                engine.news.add(id);
            }
        }
    }

    /** Lets a number of things happen, in any order threads could bring about. */
    void steps(int count) {
        for (int i = 0; i < count; i++) {
            if (chance.nextInt(4) == 0) {
                listen();
            } else {
                bench.step(chance);
            }
        }
    }

    /** Lets everything happen that needs no time. */
    PodBench settle() {
        int heard = -1;
        while (heard != engine.news.size() || !book.isPresent()) {
            bench.settle();
            heard = engine.news.size();
            for (int i = 0; i <= heard; i++) {
                listen();
            }
            if (engine.down || engine.broken.contains("list")) {
                break;
            }
        }
        bench.settle();
        return this;
    }

    PodBench pass(Duration time) {
        bench.wait(time);
        return settle();
    }

    void put(String pod) {
        policies.put(between(pod, "uid: ", "}"), between(pod, "restartPolicy: ", ","));
        bench.put(pod);
    }

    private static String between(String text, String before, String after) {
        int start = text.indexOf(before) + before.length();
        return text.substring(start, text.indexOf(after, start)).strip();
    }

    void delete(String name, int seconds) {
        Instant now = bench.controllers().now();
        Optional<Pod> pod = pod(name);
        boolean sooner = pod.filter(each -> !each.isBeingDeleted()
                        || Instant.parse(each.metadata()
                                        .path("deletionTimestamp")
                                        .asText())
                                .isAfter(now.plusSeconds(seconds)))
                .isPresent();
        if (sooner) {
            bench.change(
                    "pods/ns/" + name,
                    each -> each.withObject("/metadata")
                            .put("deletionTimestamp", now.plusSeconds(seconds).toString())
                            .put("deletionGracePeriodSeconds", seconds));
        }
    }

    Optional<Pod> pod(String name) {
        return bench.world().get(Pod.key("ns", name)).map(Pod::of);
    }

    JsonNode status(String name) {
        return pod(name).orElseThrow().status();
    }

    List<ObjectKey> podKeys() {
        List<ObjectKey> keys = new ArrayList<>();
        bench.world().list(Scope.resource("pods")).forEach(each -> keys.add(each.key()));
        return keys;
    }

    List<String> live(String uid) {
        return engine.live().stream()
                .filter(each -> each.whose().podUid().equals(uid))
                .map(each -> each.whose().container())
                .sorted()
                .toList();
    }

    List<String> told(String reason) {
        return bench.told().stream()
                .filter(each -> each.contains(" " + reason + " "))
                .toList();
    }

    /** What must hold at any time. */
    void check() {
        assertThat(engine.faults).isEmpty();
        assertThat(bench.kernel.faults).isEmpty();
        for (StoredObject each : bench.world().list(Scope.resource("pods"))) {
            Pod pod = Pod.of(each);
            for (String list : List.of("initContainerStatuses", "containerStatuses")) {
                for (JsonNode status : pod.status().path(list)) {
                    String whose = pod.uid() + '/' + status.path("name").asText();
                    int now = status.path("restartCount").asInt();
                    assertThat(now).as("restarts of %s", whose).isGreaterThanOrEqualTo(restarts.getOrDefault(whose, 0));
                    restarts.put(whose, now);
                }
            }
        }
    }

    void nothingIsLeft() {
        assertThat(engine.all()).isEmpty();
        assertThat(podKeys()).isEmpty();
        assertThat(book.isEmpty()).as("the book is empty").isTrue();
        assertThat(parts.messages().size()).as("messages kept").isZero();
        bench.nothingIsLeft();
    }
}
