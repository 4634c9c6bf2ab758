package dev.mooring.engine;

import static dev.mooring.engine.EngineApi.CLAIMS;
import static dev.mooring.engine.EngineApi.PODS;
import static dev.mooring.engine.EngineApi.VOLUMES;
import static dev.mooring.engine.EngineServer.container;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pods start and stop while the process that drives them is killed with SIGKILL and started again on the same data and the same engine. Each
 * Pod writes a line to its volume whenever it is started: there is to be one.
 */
class KilledMooringTest {
    private static final int DEATHS = 8;

    /** In this round it dies before it serves. */
    private static final int EARLY_DEATH = 4;

    private static final int START_MILLIS = 2_000;
    private static final int LONGEST_LIFE_MILLIS = 2_500;
    private static final int PODS_A_ROUND = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path directory;

    private final Set<String> uids = new HashSet<>();

    /** Those that are there, and the claim of each. */
    private final Map<String, String> wanted = new TreeMap<>();

    private int made;

    @Test
    @Timeout(900)
    void podsAreAdoptedAndNeverStartedTwice() throws Exception {
        long seed = System.nanoTime();
        Random chance = new Random(seed);
        Path data = directory.resolve("data");
        Path errors = directory.resolve("stderr");
        RealEngine engine = RealEngine.shared();
        Remains remains = new Remains(data, new RealEngineApi(engine.socket()), uids);
        try (EngineProcess server = new EngineProcess(data, errors, engine.host())) {
            server.launch();
            server.awaitReady();
            for (int round = 0; round < DEATHS; round++) {
                change(server.api(), chance);
                server.killAfter(chance.nextInt(LONGEST_LIFE_MILLIS));
                server.launch();
                if (round == EARLY_DEATH) {
                    server.killAfter(chance.nextInt(START_MILLIS));
                    server.launch();
                }
                server.awaitReady();
            }
            String where = "seed " + seed + ", stderr " + errors;
            List<String> problems = Eventually.see(
                    "no problems, " + where, PATIENCE, () -> problems(server.api(), remains), List::isEmpty);
            assertThat(problems).isEmpty();

            wanted.keySet().forEach(each -> server.api().delete(PODS + '/' + each));
            wanted.values().forEach(each -> server.api().delete(CLAIMS + '/' + each));
            wanted.clear();
            Eventually.see("nothing, " + where, PATIENCE, () -> problems(server.api(), remains), List::isEmpty);
            assertThat(server.stop()).as(server.complaints()).isZero();
        } finally {
            remains.sweep();
        }
        LogInspector log = new LogInspector(new RealDisk(), data.resolve("log"));
        assertThat(new LogVerifier(log, bytes -> {}).verify().problems()).isEmpty();
    }

    /** Makes some Pods and deletes others, in whatever state they are. */
    private void change(EngineApi api, Random chance) {
        for (int i = 0; i < PODS_A_ROUND; i++) {
            String claim = "c" + made;
            api.make(
                    CLAIMS,
                    "{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'" + claim
                            + "'},'spec':{'storageClassName':'hostPath','accessModes':['ReadWriteOnce'],'resources':"
                            + "{'requests':{'storage':'1Gi'}}}}");
            uids.add(api.make(PODS, pod("p" + made, claim)).at("/metadata/uid").asText());
            wanted.put("p" + made, claim);
            made++;
        }
        List<String> there = new ArrayList<>(wanted.keySet());
        for (int i = chance.nextInt(PODS_A_ROUND); i > 0; i--) {
            String leaving = there.remove(chance.nextInt(there.size()));
            assertThat(api.delete(PODS + '/' + leaving).code()).isIn(200, 202);
            assertThat(api.delete(CLAIMS + '/' + wanted.remove(leaving)).code()).isIn(200, 202);
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

    /** What is not as it must be once everything has come to rest. */
    private List<String> problems(EngineApi api, Remains remains) {
        List<String> problems = new ArrayList<>();
        List<JsonNode> pods = api.list(PODS);
        Set<String> live = new HashSet<>();
        for (JsonNode each : pods) {
            String name = each.at("/metadata/name").asText();
            live.add(each.at("/metadata/uid").asText());
            if (!wanted.containsKey(name)) {
                problems.add(name + " is still there");
            } else if (!EngineApi.phase(each).equals("Running")
                    || each.at("/status/containerStatuses/0/restartCount").asInt() > 0) {
                problems.add(name + " " + each.path("status"));
            } else {
                starts(api, wanted.get(name))
                        .filter(count -> count != 1)
                        .ifPresent(count -> problems.add(name + " was started " + count + " times"));
            }
        }
        if (pods.size() < wanted.size()) {
            problems.add("of " + wanted.keySet() + " there are only " + pods.size());
        }
        remains.containers().stream()
                .filter(each -> !live.contains(
                        each.path("Labels").path("dev.mooring.pod.uid").asText()))
                .forEach(each -> problems.add("a container is left: " + each.path("Names")));
        remains.twins().forEach(each -> problems.add("two of " + each));
        if (remains.containers().size() != 2 * wanted.size()) {
            problems.add(remains.containers().size() + " containers for " + wanted.size() + " Pods");
        }
        remains.mounts().stream()
                .filter(mount -> live.stream().noneMatch(mount::contains))
                .forEach(each -> problems.add("a mount is left: " + each));
        api.list(VOLUMES).stream()
                .map(each -> each.at("/spec/claimRef/name").asText())
                .filter(each -> !wanted.containsValue(each))
                .forEach(each -> problems.add("the volume of " + each + " is left"));
        return problems;
    }

    private static Optional<Long> starts(EngineApi api, String claim) {
        String volume = api.object(CLAIMS, claim).at("/spec/volumeName").asText();
        Path file = Path.of(
                        api.object(VOLUMES, volume).at("/spec/hostPath/path").asText())
                .resolve("starts");
        try (var lines = Files.lines(file)) {
            return Optional.of(lines.count());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
