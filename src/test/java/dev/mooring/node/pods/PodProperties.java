package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.EngineException;
import dev.mooring.volume.VolumeException.FailureState;
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
 * Random runs of Pods of all kinds, in orders that threads could produce: Pods are created, deleted and end while
 * mounts fail, images are missing, the engine fails or is unreachable, containers exit or are removed, and processes
 * are killed. Invariants: no container runs without its volumes mounted or for a Pod that must not run; no volume of a
 * running container is unmounted; no container runs twice; a container that ended for good is not restarted. When the
 * faults end, every Pod runs or has finished; when the Pods are deleted, nothing is left.
 */
class PodProperties {
    private static final int SEEDS = 70;
    private static final int ACTIONS = 60;

    /** Seeds that once found a bug. */
    private static final List<Long> FOUND = List.of(132L, 5713L);

    @TempDir
    Path directory;

    @Test
    void containersAndVolumes_randomFaults_followPods() {
        long first = Long.getLong("mooring.seed", 0);
        long count = Long.getLong("mooring.seeds", SEEDS);
        LongStream.concat(FOUND.stream().mapToLong(Long::longValue), LongStream.range(first, first + count))
                .forEach(seed -> {
                    try {
                        run(seed);
                    } catch (AssertionError | RuntimeException e) {
                        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
                    }
                });
    }

    void run(long seed) {
        PodFixture node = new PodFixture(seed, directory);
        Map<String, String> pods = new TreeMap<>();
        for (int i = 0; i < ACTIONS; i++) {
            step(node, pods);
            node.steps(node.random.nextInt(20));
            node.check();
        }
        node.volumes.kernel.clearFailures();
        node.engine.clearFailures();
        node.engine.images.add("sometimes");
        converge(node);
        assertEveryPodRuns(node, pods);
        pods.keySet().forEach(name -> node.delete(name, 30));
        converge(node);
        node.assertNothingIsLeft();
    }

    /** Passes enough time for every back-off, and ends the containers that are meant to end. */
    private static void converge(PodFixture node) {
        for (int i = 0; i < 14; i++) {
            node.settle();
            for (ContainerFacts each : node.engine.live()) {
                if (List.of("i", "j", "k").contains(each.identity().container())) {
                    node.engine.exit(each.id(), 0);
                }
            }
            node.settle();
            node.pass(Duration.ofSeconds(100));
        }
        node.check();
    }

    private static void step(PodFixture node, Map<String, String> pods) {
        Random random = node.random;
        switch (random.nextInt(18)) {
            case 0, 1, 2, 3 -> {
                String name = "p" + random.nextInt(5);
                if (node.pod(name).isEmpty()) {
                    String uid = name + '-' + random.nextInt(1_000_000);
                    pods.put(name, uid);
                    node.put(KINDS.get(random.nextInt(KINDS.size()))
                            .replace("NAME", name)
                            .replace("UID", uid));
                }
            }
            case 4, 5 -> {
                if (!pods.isEmpty()) {
                    String name = pick(new ArrayList<>(pods.keySet()), random);
                    pods.remove(name);
                    if (random.nextInt(3) == 0) {
                        node.volumes.remove("pods/ns/" + name);
                    } else {
                        node.delete(name, random.nextInt(60));
                    }
                }
            }
            case 6 -> {
                FailureState left = random.nextBoolean() ? FailureState.CLEAN : FailureState.UNCERTAIN;
                node.volumes.kernel.fails(random.nextBoolean() ? "setUp" : "tearDown", left);
            }
            case 7 ->
                node.engine.fails(
                        pick(CALLS, random),
                        pick(List.of(EngineException.Kind.FAILED, EngineException.Kind.TOO_SLOW), random));
            case 8, 9 -> {
                if (!node.engine.live().isEmpty()) {
                    node.engine.exit(pick(node.engine.live(), random).id(), random.nextInt(2));
                }
            }
            case 10 -> node.volumes.crash();
            case 11 -> {
                node.engine.down = !node.engine.down;
                if (node.engine.down) {
                    node.cache.markAbsent("down");
                }
            }
            case 12 -> {
                if (random.nextInt(3) == 0) {
                    node.engine.endAll();
                    node.volumes.reboot();
                } else {
                    node.volumes.controllers().restart(PodFixture.POD_CONTROLLER);
                }
            }
            case 13 -> {
                if (!node.engine.images.remove("sometimes")) {
                    node.engine.images.add("sometimes");
                }
            }
            case 14 -> {
                if (!node.engine.all().isEmpty()) {
                    node.engine.removeExternally(pick(node.engine.all(), random).id());
                }
            }
            case 15 -> {
                String call = pick(CALLS, random);
                if (!node.engine.broken.remove(call)) {
                    node.engine.broken.add(call);
                }
            }
            default -> node.volumes.wait(Duration.ofMillis(random.nextInt(20_000)));
        }
    }

    private static <T> T pick(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    private static void assertEveryPodRuns(PodFixture node, Map<String, String> pods) {
        pods.forEach((name, uid) -> {
            Pod pod = node.pod(name).orElseThrow();
            assertThat(pod.uid()).isEqualTo(uid);
            boolean ends = !pod.spec().path("restartPolicy").asText().equals("Always");
            TreeSet<String> expected = new TreeSet<>();
            if (ends) {
                assertThat(pod.isFinished())
                        .as("%s has finished: %s", uid, pod.status())
                        .isTrue();
            } else {
                assertThat(pod.phase()).as("%s", pod.status()).isEqualTo("Running");
                expected.add("");
                for (JsonNode each : pod.status().path("containerStatuses")) {
                    assertThat(each.path("ready").asBoolean())
                            .as("%s is ready", each)
                            .isTrue();
                    expected.add(each.path("name").asText());
                }
                pod.spec().path("initContainers").forEach(each -> {
                    if (each.has("restartPolicy")) {
                        expected.add(each.path("name").asText());
                    }
                });
            }
            assertThat(node.live(uid)).as(uid).containsExactlyElementsOf(expected);
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

    /** Containers i, j and k are meant to end. */
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
