package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.MountTable;
import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.replay.LogVerifier;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Injects random faults into a real server process, a Docker engine and NFS servers while users create and delete Pods
 * and claims. Pods write tokens and record each synced one. After the faults end, the desired state must be reached and
 * every token must exist; after the users delete everything, nothing may be left.
 *
 * <p>{@code mooring.chaos.seconds} is the duration. {@code mooring.seed} determines the faults, but not their timing.
 */
@OnRealKernel
@Tag("chaos")
@EnabledIfSystemProperty(
        named = "mooring.chaos.seconds",
        matches = "\\d+",
        disabledReason = "it takes minutes: make chaos runs it")
class RealChaosTest {
    static final Duration TIMEOUT = Duration.ofMinutes(4);

    /** Containers that ended several times restart only after minutes. */
    private static final Duration RECOVERY = Duration.ofMinutes(8);

    private static final int SECONDS = Integer.getInteger("mooring.chaos.seconds", 40);
    private static final long MAX_PAUSE_MILLIS = 800;

    /** Maximum interval between two tokens of the Pod without faults. */
    private static final Duration HEALTHY_PAUSE = Duration.ofSeconds(30);

    private static final Path DATA = Path.of("/mnt/chaos");
    private static final Path PODS = DATA.resolve("pods");
    private static final Path ERRORS = Path.of("/mnt/chaos-output/stderr");

    /** The data directory without the mounts below it. */
    private static final Path UNMOUNTED_VIEW = Path.of("/mnt/chaos-beneath");

    private final long seed = Optional.ofNullable(Long.getLong("mooring.seed")).orElseGet(System::nanoTime);
    private final Random random = new Random(seed);
    private final List<String> history = new ArrayList<>();
    private final Set<String> findings = new LinkedHashSet<>();
    private final long since = System.nanoTime();
    private RealEngine engine;
    private RealEngineApi containers;
    private KernelNfsServer flaky;
    private KernelNfsServer healthy;
    private ChaosServer server;
    private ChaosWorkload workload;
    private ChaosFaults faults;
    private int healthyTokens;
    private long healthySince;

    @BeforeEach
    void boot() throws IOException {
        Shell.local().run("mkdir -p " + DATA + ' ' + ERRORS.getParent() + ' ' + UNMOUNTED_VIEW, bindCommand());
        flaky = KernelNfsServer.boot(51);
        flaky.start();
        flaky.export("/share");
        healthy = KernelNfsServer.boot(52);
        healthy.start();
        healthy.export('/' + ChaosWorkload.HEALTHY);
        engine = RealEngine.own();
        containers = new RealEngineApi(engine.socket());
        server = new ChaosServer(DATA, ERRORS, settings());
        workload = new ChaosWorkload(server, new Random(random.nextLong()));
        faults = new ChaosFaults(server, flaky, engine, PODS, new Random(random.nextLong()));
        server.launch();
        server.create(
                ChaosWorkload.CLASSES,
                ChaosYaml.nfsClass(ChaosWorkload.HEALTHY, healthy.address(), '/' + ChaosWorkload.HEALTHY));
    }

    private static String bindCommand() {
        return "mount --bind " + DATA + ' ' + UNMOUNTED_VIEW;
    }

    private Map<String, String> settings() {
        return Map.of(
                "runtime", "docker",
                "docker.host", engine.host(),
                "nfs.server", flaky.address(),
                "nfs.share", "/share",
                "chaos.enabled", "true",
                "logging.color", "never",
                "log.batch.maxBytes", "128Ki",
                "log.segmentBytes", "256Ki",
                "log.snapshot.everyBytes", "256Ki");
    }

    @AfterEach
    void shutDown() throws IOException {
        server.close();
        flaky.restore();
        engine.close();
        List<MountTable.Mount> left = new ArrayList<>(MountTable.read().below(DATA));
        for (int i = left.size() - 1; i >= 0; i--) {
            Shell.local().run("umount -l -i '" + left.get(i).point() + "'");
        }
        Shell.local()
                .run(
                        "umount " + UNMOUNTED_VIEW,
                        "for each in $(losetup -n -O NAME,BACK-FILE | grep " + DATA
                                + "/ | cut -d' ' -f1); do losetup -d $each; done",
                        "rm -rf --one-file-system /mnt/chaos* /mnt/lists /mnt/host");
        flaky.close();
        healthy.close();
    }

    @Test
    @Timeout(3600)
    void server_randomFaults_losesNoDataAndLeavesNothing() throws Exception {
        DurationStats.print("seed %d, %d s; repeat with -Dmooring.seed=%d", seed, SECONDS, seed);
        try {
            workload.start();
            faults.start();
            awaitDesiredState("before", RECOVERY);
            injectFaults();
            faults.endAll();
            workload.complete();
            note("all faults ended");
            awaitDesiredState("after the faults", RECOVERY);
            assertAllProgress();
            assertNothingIsLost();
            assertNothingIsLeft();
            assertThat(server.stop()).isZero();
            verifyLog();
        } catch (Exception | AssertionError e) {
            printDiagnostics();
            throw e;
        }
        assertThat(findings).isEmpty();
    }

    private void note(String text) {
        history.add(String.format("%6d ms %s", DurationStats.millisSince(since), text));
    }

    private void injectFaults() {
        long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
        resetHealthyProgress();
        while (System.nanoTime() - end < 0) {
            faults.endExpired();
            note(step());
            check();
            checkHealthyProgress();
            Polling.millis((long) (random.nextDouble() * MAX_PAUSE_MILLIS));
        }
        DurationStats.print("%d tokens, %s, %s", workload.tokens(), workload.done(), faults.done());
    }

    /** Makes a random change or injects a fault; while the server restarts, only faults outside of it. */
    private String step() {
        boolean changeWorkload = random.nextInt(4) == 0;
        if (!server.isResponding()) {
            return faults.injectExternalFault();
        }
        return changeWorkload ? workload.change() : faults.injectFault();
    }

    /** Checks the invariants that hold at any time. */
    private void check() {
        findings.addAll(ChaosWorkload.violations());
        findings.addAll(strayFiles());
        if (faults.engineRuns()) {
            findings.addAll(duplicateContainers());
        }
    }

    private void checkHealthyProgress() {
        if (!faults.engineRuns() || workload.writtenByHealthy() > healthyTokens) {
            resetHealthyProgress();
        } else if (System.nanoTime() - healthySince > HEALTHY_PAUSE.toNanos() && isHealthyPodRunning()) {
            findings.add("the Pod on the healthy NFS server has written nothing for " + HEALTHY_PAUSE);
        }
    }

    private void resetHealthyProgress() {
        healthyTokens = workload.writtenByHealthy();
        healthySince = System.nanoTime();
    }

    /** Returns whether the container runs: after a kill of the engine it may be in back-off. */
    private boolean isHealthyPodRunning() {
        boolean runs = runningContainers().stream()
                .anyMatch(each -> ChaosFaults.pod(each).startsWith(ChaosWorkload.HEALTHY));
        if (!runs) {
            resetHealthyProgress();
        }
        return runs;
    }

    private List<JsonNode> runningContainers() {
        return containers.containers(ContainerLabels.INSTANCE).stream()
                .filter(each -> each.path("State").asText().equals("running"))
                .filter(each -> !ChaosFaults.role(each).equals("sandbox"))
                .toList();
    }

    /** Returns the Pods with more than one running container. */
    private List<String> duplicateContainers() {
        Map<String, Integer> running = new TreeMap<>();
        runningContainers().forEach(each -> running.merge(ChaosFaults.pod(each), 1, Integer::sum));
        return running.entrySet().stream()
                .filter(each -> each.getValue() > 1)
                .map(each -> each.getKey() + " has " + each.getValue() + " running containers")
                .toList();
    }

    /** Returns files that were written to a directory on which a volume should have been mounted. */
    private static List<String> strayFiles() {
        return Shell.local()
                .run(
                        "cd " + UNMOUNTED_VIEW,
                        "find . -path './pods/*/volumes/kubernetes.io~nfs/*/*'"
                                + " -o -path './pods/*/volumes/kubernetes.io~csi/*/*'"
                                + " -o -path './plugins/kubernetes.io/csi/mounts/*/*' 2>/dev/null || true")
                .lines()
                .map(each -> "stray: " + each)
                .toList();
    }

    private void awaitDesiredState(String when, Duration timeout) {
        long start = System.nanoTime();
        assertThat(Polling.untilEmpty(timeout, workload::deviations)).as(when).isEmpty();
        DurationStats.print("all Pods in the desired state %s, after %d ms", when, DurationStats.millisSince(start));
    }

    private void assertAllProgress() {
        Map<String, Integer> before = workload.written();
        assertThat(Polling.untilEmpty(TIMEOUT, () -> workload.withoutProgress(before)))
                .isEmpty();
        check();
        assertThat(findings).isEmpty();
        assertThat(workload.startsOfHealthy())
                .as("starts of the Pod on the healthy NFS server, with %d kills of the engine", faults.engineKills())
                .isBetween(1, 1 + faults.engineKills());
    }

    private void assertNothingIsLost() {
        workload.deletePods();
        assertThat(Polling.untilEmpty(TIMEOUT, workload::deviations)).isEmpty();
        check();
        assertThat(workload.missingTokens()).isEmpty();
        DurationStats.print("all of %d tokens were read", workload.tokens());
    }

    private void assertNothingIsLeft() {
        workload.deletePods();
        workload.deleteClaims();
        assertThat(Polling.untilEmpty(TIMEOUT, this::leftovers)).isEmpty();
    }

    private List<String> leftovers() {
        List<String> found = new ArrayList<>(strayFiles());
        for (String each : List.of(
                ChaosWorkload.PODS,
                ChaosWorkload.CLAIMS,
                "/api/v1/persistentvolumes",
                "/apis/storage.k8s.io/v1/volumeattachments")) {
            server.list(each).forEach(object -> found.add(each + '/' + object.at("/metadata/name")));
        }
        containers.containers(ContainerLabels.INSTANCE).forEach(each -> found.add("container " + each.path("Names")));
        try {
            MountTable.read().below(DATA).forEach(each -> found.add("mount " + each.point()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Shell.local()
                .run(
                        "losetup -n -O NAME,BACK-FILE | grep " + DATA + "/ || true",
                        "find " + PODS + ' ' + DATA.resolve("plugins") + "/*/*/mounts -mindepth 1 2>/dev/null || true",
                        "find " + DATA.resolve("volumes") + ' ' + flaky.root().resolve("share") + ' '
                                + healthy.root().resolve(ChaosWorkload.HEALTHY)
                                + " -mindepth 1 '(' -name '*pvc-*' -o -path '*/.mooring/*' ')' 2>/dev/null || true")
                .lines()
                .forEach(found::add);
        programs().forEach(each -> found.add("process " + each));
        return found;
    }

    /** Returns the running programs that any of the server processes has started. */
    private List<String> programs() {
        List<String> programs = new ArrayList<>();
        ProcessHandle.allProcesses().forEach(each -> {
            boolean child =
                    each.parent().filter(parent -> parent.pid() == server.pid()).isPresent();
            String command = each.info()
                    .command()
                    .map(path -> Path.of(path).getFileName().toString())
                    .orElse("");
            if (child || command.matches("u?mount(\\.nfs4?)?|losetup|mkfs.*|mke2fs|e2fsck|resize2fs|stat|blkid")) {
                programs.add(each.pid() + " " + each.info().commandLine().orElse("?"));
            }
        });
        return programs;
    }

    private void verifyLog() throws IOException {
        LogVerifier.Report report =
                new LogVerifier(new LogInspector(new RealDisk(), DATA.resolve("log")), bytes -> {}).verify();
        assertThat(report.problems()).isEmpty();
        assertThat(server.output().stream().filter(each -> each.contains(" ERROR ")))
                .isEmpty();
        DurationStats.print("%d events in the log of %d processes, no problems", report.events(), server.starts());
    }

    /** Prints everything that may help to find the cause. */
    private void printDiagnostics() throws IOException {
        DurationStats.print(
                "seed %d; findings: %s; faults: %s; users: %s", seed, findings, faults.done(), workload.done());
        history.forEach(each -> DurationStats.print("%s", each));
        List<String> lines = server.output();
        lines.subList(Math.max(0, lines.size() - 400), lines.size()).forEach(each -> DurationStats.print("| %s", each));
        DurationStats.print("%s", Shell.local().run("cat /proc/self/mountinfo | grep -v overlay; losetup -a"));
        for (JsonNode each : server.list("/api/v1/namespaces/default/events")) {
            DurationStats.print(
                    "%s %s %s: %s",
                    each.path("lastTimestamp").asText(),
                    each.at("/involvedObject/name").asText(),
                    each.path("reason").asText(),
                    each.path("message").asText());
        }
        for (JsonNode each : containers.containers(ContainerLabels.INSTANCE)) {
            DurationStats.print("%s", each);
        }
    }
}
