package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.EngineException;
import dev.mooring.volume.VolumeException.Left;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pods of every kind that come, go and end while mounts fail, images are missing, the engine fails or goes, containers die or are taken away and processes
 * are killed, in every order that threads could bring about. No container ever runs on what is not mounted or for a Pod that is not to run, nothing
 * is unmounted under one, there are never two for one, what has ended for good is not run again; when the faults end every Pod runs or has finished, and
 * when the Pods are gone nothing is left.
 */
class PodProperties {
    private static final int SEEDS = 70;
    private static final int ACTIONS = 60;

    /** Found something once. */
    private static final List<Long> FOUND = List.of(132L, 5713L);

    @TempDir
    Path own;

    @Test
    void containersAndVolumesFollowPodsWhateverHappens() {
        long first = Long.getLong("mooring.seed", 0);
        long count = Long.getLong("mooring.seeds", SEEDS);
        LongStream.concat(FOUND.stream().mapToLong(Long::longValue), LongStream.range(first, first + count))
                .forEach(seed -> {
                    try {
                        live(seed);
                    } catch (AssertionError | RuntimeException e) {
                        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
                    }
                });
    }

    void live(long seed) {
        PodBench node = new PodBench(seed, own);
        Map<String, String> pods = new TreeMap<>();
        for (int i = 0; i < ACTIONS; i++) {
            act(node, pods);
            node.steps(node.chance.nextInt(20));
            node.check();
        }
        node.bench.kernel.forgive();
        node.engine.forgive();
        node.engine.images.add("sometimes");
        converge(node);
        everyPodRuns(node, pods);
        pods.keySet().forEach(name -> node.delete(name, 30));
        converge(node);
        node.nothingIsLeft();
    }

    /** Long enough for every wait; what is there to end ends. */
    private static void converge(PodBench node) {
        for (int i = 0; i < 14; i++) {
            node.settle();
            for (ContainerFacts each : node.engine.live()) {
                if (List.of("i", "j", "k").contains(each.whose().container())) {
                    node.engine.exit(each.id(), 0);
                }
            }
            node.settle();
            node.pass(Duration.ofSeconds(100));
        }
        node.check();
    }

    private static void act(PodBench node, Map<String, String> pods) {
        Random chance = node.chance;
        switch (chance.nextInt(18)) {
            case 0, 1, 2, 3 -> {
                String name = "p" + chance.nextInt(5);
                if (node.pod(name).isEmpty()) {
                    String uid = name + '-' + chance.nextInt(1_000_000);
                    pods.put(name, uid);
                    node.put(KINDS.get(chance.nextInt(KINDS.size()))
                            .replace("NAME", name)
                            .replace("UID", uid));
                }
            }
            case 4, 5 -> {
                if (!pods.isEmpty()) {
                    String name = any(new ArrayList<>(pods.keySet()), chance);
                    pods.remove(name);
                    if (chance.nextInt(3) == 0) {
                        node.bench.remove("pods/ns/" + name);
                    } else {
                        node.delete(name, chance.nextInt(60));
                    }
                }
            }
            case 6 -> {
                Left left = chance.nextBoolean() ? Left.NOTHING : Left.PERHAPS_SOMETHING;
                node.bench.kernel.fails(chance.nextBoolean() ? "setUp" : "tearDown", left);
            }
            case 7 ->
                node.engine.fails(
                        any(CALLS, chance),
                        any(List.of(EngineException.Kind.FAILED, EngineException.Kind.TOO_SLOW), chance));
            case 8, 9 -> {
                if (!node.engine.live().isEmpty()) {
                    node.engine.exit(any(node.engine.live(), chance).id(), chance.nextInt(2));
                }
            }
            case 10 -> node.bench.crash();
            case 11 -> {
                node.engine.down = !node.engine.down;
                if (node.engine.down) {
                    node.book.absent("down");
                }
            }
            case 12 -> {
                if (chance.nextInt(3) == 0) {
                    node.engine.endAll();
                    node.bench.reboot();
                } else {
                    node.bench.controllers().restart(PodBench.DRIVER);
                }
            }
            case 13 -> {
                if (!node.engine.images.remove("sometimes")) {
                    node.engine.images.add("sometimes");
                }
            }
            case 14 -> {
                if (!node.engine.all().isEmpty()) {
                    node.engine.removedByHand(any(node.engine.all(), chance).id());
                }
            }
            case 15 -> {
                String call = any(CALLS, chance);
                if (!node.engine.broken.remove(call)) {
                    node.engine.broken.add(call);
                }
            }
            default -> node.bench.wait(Duration.ofMillis(chance.nextInt(20_000)));
        }
    }

    private static <T> T any(List<T> list, Random chance) {
        return list.get(chance.nextInt(list.size()));
    }

    private static void everyPodRuns(PodBench node, Map<String, String> pods) {
        pods.forEach((name, uid) -> {
            Pod pod = node.pod(name).orElseThrow();
            assertThat(pod.uid()).isEqualTo(uid);
            boolean ends = !pod.spec().path("restartPolicy").asText().equals("Always");
            TreeSet<String> wanted = new TreeSet<>();
            if (ends) {
                assertThat(pod.isFinished())
                        .as("%s has finished: %s", uid, pod.status())
                        .isTrue();
            } else {
                assertThat(pod.phase()).as("%s", pod.status()).isEqualTo("Running");
                wanted.add("");
                for (JsonNode each : pod.status().path("containerStatuses")) {
                    assertThat(each.path("ready").asBoolean())
                            .as("%s is ready", each)
                            .isTrue();
                    wanted.add(each.path("name").asText());
                }
                pod.spec().path("initContainers").forEach(each -> {
                    if (each.has("restartPolicy")) {
                        wanted.add(each.path("name").asText());
                    }
                });
            }
            assertThat(node.live(uid)).as(uid).containsExactlyElementsOf(wanted);
        });
    }

    private static final List<String> CALLS = List.of(
            "create", "create afterwards", "start", "start afterwards", "stop", "remove", "inspect", "list", "image");

    private static String pod(String policy, String inits, String containers) {
        return """
            {kind: Pod, metadata: {name: NAME, namespace: ns, uid: UID},
             spec: {nodeName: n1, restartPolicy: POLICY, terminationGracePeriodSeconds: 30, initContainers: [INITS], containers: [CONTAINERS],
                    volumes: [{name: v, nfs: {server: nas, path: /x}}]},
             status: {phase: Pending}}
            """.replace("POLICY", policy).replace("INITS", inits).replace("CONTAINERS", containers);
    }

    private static String container(String name, String image) {
        return "{name: " + name + ", image: " + image
                + ", imagePullPolicy: IfNotPresent, volumeMounts: [{name: v, mountPath: /v}]}";
    }

    private static final String SIDECAR =
            container("s", "busybox").replace("{name: s", "{name: s, restartPolicy: Always");

    /** Containers i, j and k are those that end. */
    private static final List<String> KINDS = List.of(
            pod("Always", "", container("c", "busybox")),
            pod("Always", "", container("c", "busybox") + ", " + container("d", "sometimes")),
            pod("Always", container("i", "busybox"), container("c", "sometimes")),
            pod("Always", SIDECAR + ", " + container("i", "busybox"), container("c", "busybox")),
            pod("Never", "", container("j", "busybox")),
            pod(
                    "Never",
                    container("i", "busybox") + ", " + SIDECAR,
                    container("j", "busybox") + ", " + container("k", "busybox")),
            pod("OnFailure", SIDECAR, container("j", "sometimes")),
            pod(
                    "OnFailure",
                    container("i", "sometimes"),
                    container("j", "busybox") + ", " + container("k", "busybox")));
}
