package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.StoredJson;
import dev.mooring.control.Controller;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.SpecParts;
import dev.mooring.node.desired.Containers;
import dev.mooring.node.reconcile.VolumeBench;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.Labels;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.SystemCalls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pods that come, go and end while mounts fail, the engine fails or goes, containers die and processes are killed, in every order that threads could
 * bring about. No container ever runs on what is not mounted, nothing is unmounted under one, there are never two for one; when the faults end every Pod
 * runs, and when the Pods are gone nothing is left.
 */
class PodProperties {
    private static final int SEEDS = 150;
    private static final int ACTIONS = 60;

    @TempDir
    Path own;

    /** A node with an engine. */
    private final class World implements VolumeBench.Beside {
        private final Random chance;
        private final VolumeBench bench;
        private final FakeEngine engine;
        private ContainerBook book;
        private PodWakes wakes;
        private VolumeBench running;

        private World(long seed, String yaml) {
            this.chance = new Random(seed);
            this.engine = new FakeEngine(() -> running == null ? Facts.START : running.controllers().now(), path -> running.kernel.mounted.containsKey(path));
            this.bench = new VolumeBench(yaml, this);
            this.running = bench;
            bench.kernel.used = engine::uses;
        }

        @Override
        public VolumeBench.Guest begin(WorkParts work) {
            book = new ContainerBook(() -> true);
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
            return new VolumeBench.Guest() {
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

        /** What the link to the engine does. */
        private void listen() {
            try {
                if (!book.isPresent()) {
                    long ticket = book.ticket();
                    book.load(engine.list("i"), ticket);
                    wakes.everything();
                } else if (!engine.news.isEmpty()) {
                    String id = engine.news.poll();
                    long ticket = book.ticket();
                    Optional<ContainerFacts> facts = engine.inspect(id);
                    (facts.isPresent() ? book.put(facts.get(), ticket) : book.removed(id)).ifPresent(wakes);
                }
            } catch (EngineException e) {
                book.absent(e.getMessage());
            }
        }

        private List<ObjectKey> podKeys() {
            List<ObjectKey> keys = new ArrayList<>();
            for (StoredObject each : bench.world().list(Scope.resource("pods"))) {
                keys.add(each.key());
            }
            return keys;
        }

        private void steps(int count) {
            for (int i = 0; i < count; i++) {
                if (chance.nextInt(4) == 0) {
                    listen();
                } else {
                    bench.step(chance);
                }
            }
        }

        private void converge() {
            for (int i = 0; i < 400; i++) {
                bench.settle();
                listen();
                if (i % 20 == 19) {
                    bench.pass(Duration.ofSeconds(60));
                }
            }
        }

        private void check() {
            assertThat(engine.faults).isEmpty();
            assertThat(bench.kernel.faults).isEmpty();
        }
    }

    @Test
    void containersAndVolumesFollowPodsWhateverHappens() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                live(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    void live(long seed) {
        World world = new World(seed, NODE);
        TreeMap<String, String> pods = new TreeMap<>();
        for (int i = 0; i < ACTIONS; i++) {
            act(world, pods);
            world.steps(world.chance.nextInt(20));
            world.check();
        }
        world.bench.kernel.forgive();
        world.engine.forgive();
        world.converge();
        world.check();
        everyPodRuns(world, pods);
        pods.keySet().forEach(name -> delete(world, name));
        world.converge();
        world.check();
        assertThat(world.engine.all()).isEmpty();
        assertThat(world.podKeys()).isEmpty();
        world.bench.nothingIsLeft();
    }

    private static void act(World world, TreeMap<String, String> pods) {
        Random chance = world.chance;
        switch (chance.nextInt(14)) {
            case 0, 1, 2, 3 -> {
                String name = "p" + chance.nextInt(5);
                if (world.bench.world().get(Pod.key("ns", name)).isEmpty()) {
                    String uid = name + '-' + chance.nextInt(1_000_000);
                    pods.put(name, uid);
                    world.bench.put(POD.replace("NAME", name).replace("UID", uid));
                }
            }
            case 4, 5 -> {
                if (!pods.isEmpty()) {
                    String name = new ArrayList<>(pods.keySet()).get(chance.nextInt(pods.size()));
                    pods.remove(name);
                    if (chance.nextInt(3) == 0) {
                        world.bench.remove("pods/ns/" + name);
                    } else {
                        delete(world, name);
                    }
                }
            }
            case 6 -> {
                Left left = chance.nextBoolean() ? Left.NOTHING : Left.PERHAPS_SOMETHING;
                world.bench.kernel.fails(chance.nextBoolean() ? "setUp" : "tearDown", left);
            }
            case 7 -> {
                List<String> calls = List.of("create", "create afterwards", "start", "start afterwards", "stop", "remove", "inspect", "list");
                List<EngineException.Kind> kinds = List.of(EngineException.Kind.FAILED, EngineException.Kind.TOO_SLOW);
                world.engine.fails(calls.get(chance.nextInt(calls.size())), kinds.get(chance.nextInt(2)));
            }
            case 8 -> {
                List<ContainerFacts> live = world.engine.live();
                if (!live.isEmpty()) {
                    world.engine.exit(live.get(chance.nextInt(live.size())).id(), chance.nextInt(2));
                }
            }
            case 9 -> world.bench.crash();
            case 10 -> {
                world.engine.down = !world.engine.down;
                if (world.engine.down) {
                    world.book.absent("down");
                }
            }
            case 11 -> {
                if (chance.nextInt(3) == 0) {
                    world.engine.endAll();
                    world.bench.reboot();
                } else {
                    world.bench.controllers().restart(4);
                }
            }
            default -> world.bench.wait(Duration.ofMillis(chance.nextInt(20_000)));
        }
    }

    private static void delete(World world, String name) {
        if (world.bench.world().get(Pod.key("ns", name)).isPresent()) {
            world.bench.change("pods/ns/" + name, pod -> pod.withObject("/metadata")
                    .put("deletionTimestamp", world.bench.controllers().now().plusSeconds(30).toString())
                    .put("deletionGracePeriodSeconds", 30));
        }
    }

    private static void everyPodRuns(World world, TreeMap<String, String> pods) {
        TreeSet<String> running = new TreeSet<>();
        for (ContainerFacts each : world.engine.live()) {
            if (each.whose().role() == Labels.Role.CONTAINER) {
                running.add(each.whose().podUid());
            }
        }
        assertThat(running).isEqualTo(new TreeSet<>(pods.values()));
        for (String name : pods.keySet()) {
            Pod pod = Pod.of(world.bench.world().get(Pod.key("ns", name)).orElseThrow());
            assertThat(pod.phase()).isEqualTo("Running");
            assertThat(pod.status().path("containerStatuses").path(0).path("ready").asBoolean()).isTrue();
        }
    }

    private static final String NODE = """
            ---
            {kind: Node, metadata: {name: n1}, status: {nodeInfo: {containerRuntimeVersion: "fake://1"}, conditions: [{type: Ready, status: "True"}]}}
            """;

    private static final String POD = """
            {kind: Pod, metadata: {name: NAME, namespace: ns, uid: UID},
             spec: {nodeName: n1, restartPolicy: Always, terminationGracePeriodSeconds: 30, containers: [{name: c, image: busybox, imagePullPolicy: IfNotPresent,
               volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, nfs: {server: nas, path: /x}}]},
             status: {phase: Pending}}
            """;
}
