package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.replay.LogVerifier;
import dev.mooring.runtime.Labels;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import dev.mooring.volume.path.MountTable;
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
 * Everything at once, with nothing played: the server program, an engine and NFS servers, while users come and go. Pods write tokens and say so
 * when they are synced. Then the faults end, and everything has to be as its users want it, with every token there; and when they have
 * deleted all of it, nothing is left.
 *
 * <p>{@code mooring.chaos.seconds} says how long, {@code mooring.seed} what happens, though not when: time is real here.
 */
@OnRealKernel
@Tag("chaos")
@EnabledIfSystemProperty(
        named = "mooring.chaos.seconds",
        matches = "\\d+",
        disabledReason = "it takes minutes: make chaos runs it")
class RealChaosTest {
    static final Duration PATIENCE = Duration.ofMinutes(4);

    /** Containers that ended several times begin anew after minutes only. */
    private static final Duration RECOVERY = Duration.ofMinutes(8);

    private static final int SECONDS = Integer.getInteger("mooring.chaos.seconds", 40);
    private static final long LONGEST_PAUSE_MILLIS = 800;

    /** A Pod that nothing has happened to has written something by then. */
    private static final Duration CALM_PAUSE = Duration.ofSeconds(30);

    private static final Path DATA = Path.of("/mnt/chaos");
    private static final Path PODS = DATA.resolve("pods");
    private static final Path ERRORS = Path.of("/mnt/chaos-said/stderr");

    /** The data directory without what is mounted in it. */
    private static final Path BENEATH = Path.of("/mnt/chaos-beneath");

    private final long seed = Optional.ofNullable(Long.getLong("mooring.seed")).orElseGet(System::nanoTime);
    private final Random chance = new Random(seed);
    private final List<String> history = new ArrayList<>();
    private final Set<String> findings = new LinkedHashSet<>();
    private final long since = System.nanoTime();
    private RealEngine engine;
    private RealEngineApi containers;
    private NfsServer flaky;
    private NfsServer calm;
    private ChaosServer server;
    private ChaosWorkload users;
    private ChaosFaults faults;
    private int calmBefore;
    private long calmSince;

    @BeforeEach
    void boot() throws IOException {
        Shell.here().run("mkdir -p " + DATA + ' ' + ERRORS.getParent() + ' ' + BENEATH, bind());
        flaky = NfsServer.boot(51);
        flaky.start();
        flaky.export("/share");
        calm = NfsServer.boot(52);
        calm.start();
        calm.export('/' + ChaosWorkload.CALM);
        engine = RealEngine.own();
        containers = new RealEngineApi(engine.socket());
        server = new ChaosServer(DATA, ERRORS, settings());
        users = new ChaosWorkload(server, new Random(chance.nextLong()));
        faults = new ChaosFaults(server, flaky, engine, PODS, new Random(chance.nextLong()));
        server.launch();
        server.make(
                ChaosWorkload.CLASSES,
                ChaosYaml.nfsClass(ChaosWorkload.CALM, calm.address(), '/' + ChaosWorkload.CALM));
    }

    private static String bind() {
        return "mount --bind " + DATA + ' ' + BENEATH;
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
    void goAway() throws IOException {
        server.close();
        flaky.wake();
        engine.close();
        List<MountTable.Mount> left = new ArrayList<>(MountTable.read().below(DATA));
        for (int i = left.size() - 1; i >= 0; i--) {
            Shell.here().run("umount -l -i '" + left.get(i).point() + "'");
        }
        Shell.here()
                .run(
                        "umount " + BENEATH,
                        "for each in $(losetup -n -O NAME,BACK-FILE | grep " + DATA
                                + "/ | cut -d' ' -f1); do losetup -d $each; done",
                        "rm -rf --one-file-system /mnt/chaos* /mnt/lists /mnt/host");
        flaky.close();
        calm.close();
    }

    @Test
    @Timeout(3600)
    void everythingIsThereAfterwardsAndNothingIsLeftOver() throws Exception {
        Measured.print("seed %d, %d s; again with -Dmooring.seed=%d", seed, SECONDS, seed);
        try {
            users.begin();
            faults.begin();
            settled("before", RECOVERY);
            torment();
            faults.endAll();
            users.complete();
            note("the faults have ended");
            settled("after the faults", RECOVERY);
            allGoOn();
            nothingIsLost();
            nothingIsLeft();
            assertThat(server.stop()).isZero();
            theLogIsWell();
        } catch (Exception | AssertionError e) {
            tell();
            throw e;
        }
        assertThat(findings).isEmpty();
    }

    private void note(String words) {
        history.add(String.format("%6d ms %s", Measured.millisSince(since), words));
    }

    private void torment() {
        long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
        watchCalm();
        while (System.nanoTime() - end < 0) {
            faults.endSome();
            note(act());
            check();
            checkCalm();
            Pause.millis((long) (chance.nextDouble() * LONGEST_PAUSE_MILLIS));
        }
        Measured.print("%d tokens, %s, %s", users.tokens(), users.done(), faults.done());
    }

    /** A server that was killed takes its time to come back; the rest of the machine does not wait for it. */
    private String act() {
        boolean ofUsers = chance.nextInt(4) == 0;
        if (!server.answers()) {
            return faults.strikeAround();
        }
        return ofUsers ? users.change() : faults.strike();
    }

    /** What must be so at any time. */
    private void check() {
        findings.addAll(ChaosWorkload.violations());
        findings.addAll(strayFiles());
        if (faults.engineRuns()) {
            findings.addAll(twins());
        }
    }

    private void checkCalm() {
        if (!faults.engineRuns() || users.writtenByCalm() > calmBefore) {
            watchCalm();
        } else if (System.nanoTime() - calmSince > CALM_PAUSE.toNanos() && runsCalm()) {
            findings.add("the Pod on the healthy server has written nothing for " + CALM_PAUSE);
        }
    }

    private void watchCalm() {
        calmBefore = users.writtenByCalm();
        calmSince = System.nanoTime();
    }

    /** After an engine was killed it may wait for its next try. */
    private boolean runsCalm() {
        boolean runs = runningContainers().stream()
                .anyMatch(each -> ChaosFaults.pod(each).startsWith(ChaosWorkload.CALM));
        if (!runs) {
            watchCalm();
        }
        return runs;
    }

    private List<JsonNode> runningContainers() {
        return containers.containers(Labels.INSTANCE).stream()
                .filter(each -> each.path("State").asText().equals("running"))
                .filter(each -> !ChaosFaults.role(each).equals("sandbox"))
                .toList();
    }

    /** Pods with two containers that run. */
    private List<String> twins() {
        Map<String, Integer> running = new TreeMap<>();
        runningContainers().forEach(each -> running.merge(ChaosFaults.pod(each), 1, Integer::sum));
        return running.entrySet().stream()
                .filter(each -> each.getValue() > 1)
                .map(each -> each.getKey() + " has " + each.getValue() + " containers that run")
                .toList();
    }

    /** What was written to where a volume should have been mounted. */
    private static List<String> strayFiles() {
        return Shell.here()
                .run(
                        "cd " + BENEATH,
                        "find . -path './pods/*/volumes/kubernetes.io~nfs/*/*'"
                                + " -o -path './pods/*/volumes/kubernetes.io~csi/*/*'"
                                + " -o -path './plugins/kubernetes.io/csi/mounts/*/*' 2>/dev/null || true")
                .lines()
                .map(each -> "stray: " + each)
                .toList();
    }

    private void settled(String when, Duration patience) {
        long began = System.nanoTime();
        assertThat(Pause.untilNothing(patience, users::unwell)).as(when).isEmpty();
        Measured.print("all Pods are as they should be %s, after %d ms", when, Measured.millisSince(began));
    }

    private void allGoOn() {
        Map<String, Integer> before = users.written();
        assertThat(Pause.untilNothing(PATIENCE, () -> users.standingStill(before)))
                .isEmpty();
        check();
        assertThat(findings).isEmpty();
        assertThat(users.startsOfCalm())
                .as("starts of the Pod on the healthy server, with %d deaths of the engine", faults.ofEngine())
                .isBetween(1, 1 + faults.ofEngine());
    }

    private void nothingIsLost() {
        users.deletePods();
        assertThat(Pause.untilNothing(PATIENCE, users::unwell)).isEmpty();
        check();
        assertThat(users.lost()).isEmpty();
        Measured.print("all of %d tokens were read", users.tokens());
    }

    private void nothingIsLeft() {
        users.deletePods();
        users.deleteClaims();
        assertThat(Pause.untilNothing(PATIENCE, this::leftovers)).isEmpty();
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
        containers.containers(Labels.INSTANCE).forEach(each -> found.add("container " + each.path("Names")));
        try {
            MountTable.read().below(DATA).forEach(each -> found.add("mount " + each.point()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Shell.here()
                .run(
                        "losetup -n -O NAME,BACK-FILE | grep " + DATA + "/ || true",
                        "find " + PODS + ' ' + DATA.resolve("plugins") + "/*/*/mounts -mindepth 1 2>/dev/null || true",
                        "find " + DATA.resolve("volumes") + ' ' + flaky.root().resolve("share") + ' '
                                + calm.root().resolve(ChaosWorkload.CALM)
                                + " -mindepth 1 '(' -name '*pvc-*' -o -path '*/.mooring/*' ')' 2>/dev/null || true")
                .lines()
                .forEach(found::add);
        programs().forEach(each -> found.add("process " + each));
        return found;
    }

    /** Those that a server has started in any of its lives and that have not ended. */
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

    private void theLogIsWell() throws IOException {
        LogVerifier.Report report =
                new LogVerifier(new LogInspector(new RealDisk(), DATA.resolve("log")), bytes -> {}).verify();
        assertThat(report.problems()).isEmpty();
        assertThat(server.said().stream().filter(each -> each.contains(" ERROR ")))
                .isEmpty();
        Measured.print("%d events in the log of %d lives, all is well", report.events(), server.lives());
    }

    /** Everything that may help. */
    private void tell() throws IOException {
        Measured.print("seed %d; findings: %s; faults: %s; users: %s", seed, findings, faults.done(), users.done());
        history.forEach(each -> Measured.print("%s", each));
        List<String> said = server.said();
        said.subList(Math.max(0, said.size() - 400), said.size()).forEach(each -> Measured.print("| %s", each));
        Measured.print("%s", Shell.here().run("cat /proc/self/mountinfo | grep -v overlay; losetup -a"));
        for (JsonNode each : server.list("/api/v1/namespaces/default/events")) {
            Measured.print(
                    "%s %s %s: %s",
                    each.path("lastTimestamp").asText(),
                    each.at("/involvedObject/name").asText(),
                    each.path("reason").asText(),
                    each.path("message").asText());
        }
        for (JsonNode each : containers.containers(Labels.INSTANCE)) {
            Measured.print("%s", each);
        }
    }
}
