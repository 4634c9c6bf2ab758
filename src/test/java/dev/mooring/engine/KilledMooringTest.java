package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.CLAIMS;
import static dev.mooring.engine.MooringClient.PODS;
import static dev.mooring.engine.MooringClient.VOLUMES;
import static dev.mooring.engine.MooringServerFixture.container;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.replay.LogVerifier;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Starts and stops Pods while the server process is killed with SIGKILL and restarted on the same data and the same
 * engine. Each Pod writes a line to its volume at each start: there must be exactly one.
 */
@Tag("chaos")
class KilledMooringTest {
    private static final int KILLS = Integer.getInteger("mooring.kills", 5);

    /** Round in which the process is also killed before it is ready. */
    private static final int EARLY_KILL_ROUND = 2;

    private static final int START_MILLIS = 2_000;
    private static final int MAX_UPTIME_MILLIS = 2_500;
    private static final int PODS_PER_ROUND = 3;
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    @TempDir
    private Path directory;

    private final Set<String> uids = new HashSet<>();

    /** Pods that must exist, with the claim of each. */
    private final Map<String, String> expectedPods = new TreeMap<>();

    private int created;

    @Test
    @Timeout(900)
    void pods_serverKilledRepeatedly_areAdoptedAndStartedOnce() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Path data = directory.resolve("data");
        Path errors = directory.resolve("stderr");
        RealEngine engine = RealEngine.shared();
        PodLeftovers leftovers = new PodLeftovers(data, new RealEngineApi(engine.socket()), uids);
        try (MooringProcess server = new MooringProcess(data, errors, engine.host())) {
            server.launch();
            server.awaitReady();
            for (int round = 0; round < KILLS; round++) {
                createAndDeletePods(server.api(), random);
                server.killAfter(random.nextInt(MAX_UPTIME_MILLIS));
                server.launch();
                if (round == EARLY_KILL_ROUND) {
                    server.killAfter(random.nextInt(START_MILLIS));
                    server.launch();
                }
                server.awaitReady();
            }
            String where = "seed " + seed + ", stderr " + errors;
            List<String> problems = Eventually.await(
                    "no problems, " + where, TIMEOUT, () -> problems(server.api(), leftovers), List::isEmpty);
            assertThat(problems).isEmpty();

            expectedPods.keySet().forEach(each -> server.api().delete(PODS + '/' + each));
            expectedPods.values().forEach(each -> server.api().delete(CLAIMS + '/' + each));
            expectedPods.clear();
            Eventually.await("no leftovers, " + where, TIMEOUT, () -> problems(server.api(), leftovers), List::isEmpty);
            assertThat(server.stop()).as(server.errorOutput()).isZero();
        } finally {
            leftovers.removeAll();
        }
        LogInspector log = new LogInspector(new RealDisk(), data.resolve("log"));
        assertThat(new LogVerifier(log, bytes -> {}).verify().problems()).isEmpty();
    }

    /** Creates some Pods and deletes others, whatever their state. */
    private void createAndDeletePods(MooringClient api, Random random) {
        for (int i = 0; i < PODS_PER_ROUND; i++) {
            String claim = "c" + created;
            api.create(
                    CLAIMS,
                    "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'" + claim
                            + "'},'spec':{'storageClassName':'hostPath','accessModes':['ReadWriteOnce'],'resources':"
                            + "{'requests':{'storage':'1Gi'}}}}");
            uids.add(api.create(PODS, pod("p" + created, claim))
                    .at("/metadata/uid")
                    .asText());
            expectedPods.put("p" + created, claim);
            created++;
        }
        List<String> existing = new ArrayList<>(expectedPods.keySet());
        for (int i = random.nextInt(PODS_PER_ROUND); i > 0; i--) {
            String deleted = existing.remove(random.nextInt(existing.size()));
            assertThat(api.delete(PODS + '/' + deleted).code()).isIn(200, 202);
            assertThat(api.delete(CLAIMS + '/' + expectedPods.remove(deleted)).code())
                    .isIn(200, 202);
        }
    }

    private static String pod(String name, String claim) {
        String container = container(
                "echo start >> /v/starts; exec sleep 3600",
                "'volumeMounts':[{'name':'v','mountPath':'/v'},{'name':'m','mountPath':'/m'}]");
        return "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'" + name
                + "'},'spec':{'terminationGracePeriodSeconds':0,'containers':[" + container
                + "],'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'" + claim
                + "'}},{'name':'m','emptyDir':{'medium':'Memory','sizeLimit':'1Mi'}}]}}";
    }

    /** Differences from the expected final state. */
    private List<String> problems(MooringClient api, PodLeftovers leftovers) {
        List<String> problems = new ArrayList<>();
        List<JsonNode> pods = api.list(PODS);
        Set<String> existingUids = new HashSet<>();
        for (JsonNode each : pods) {
            String name = each.at("/metadata/name").asText();
            existingUids.add(each.at("/metadata/uid").asText());
            if (!expectedPods.containsKey(name)) {
                problems.add(name + " still exists");
            } else if (!MooringClient.phase(each).equals("Running")
                    || each.at("/status/containerStatuses/0/restartCount").asInt() > 0) {
                problems.add(name + " " + each.path("status"));
            } else {
                long starts = starts(api, expectedPods.get(name));
                if (starts != 1) {
                    problems.add(name + " was started " + starts + " times");
                }
            }
        }
        if (pods.size() < expectedPods.size()) {
            problems.add("only " + pods.size() + " Pods exist of " + expectedPods.keySet());
        }
        leftovers.containers().stream()
                .filter(each -> !existingUids.contains(
                        each.path("Labels").path("dev.mooring.pod.uid").asText()))
                .forEach(each -> problems.add("leftover container: " + each.path("Names")));
        leftovers.duplicateContainers().forEach(each -> problems.add("duplicate container: " + each));
        if (leftovers.containers().size() != 2 * expectedPods.size()) {
            problems.add(leftovers.containers().size() + " containers for " + expectedPods.size() + " Pods");
        }
        leftovers.host().mounts().stream()
                .filter(mount -> existingUids.stream().noneMatch(mount::contains))
                .forEach(each -> problems.add("leftover mount: " + each));
        api.list(VOLUMES).stream()
                .map(each -> each.at("/spec/claimRef/name").asText())
                .filter(each -> !expectedPods.containsValue(each))
                .forEach(each -> problems.add("leftover volume of claim " + each));
        return problems;
    }

    /** Lines that the Pod has written; 0 until its process, which runs before it writes, has created the file. */
    private static long starts(MooringClient api, String claim) {
        String volume = api.object(CLAIMS, claim).at("/spec/volumeName").asText();
        Path file = Path.of(
                        api.object(VOLUMES, volume).at("/spec/hostPath/path").asText())
                .resolve("starts");
        try (var lines = Files.lines(file)) {
            return lines.count();
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
