package dev.mooring.sim.node;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Tests the simulated machines with real node code: Pods start and terminate with and without faults, and runs are
 * reproducible.
 */
class SimNodeTest {
    private static final Duration LONG = Duration.ofMinutes(40);

    private static final String VOLUMES = """
        ---
        {kind: PersistentVolumeClaim, metadata: {name: data, namespace: ns}, spec: {volumeName: pv, accessModes: [ReadWriteOnce]},
         status: {phase: Bound, capacity: {storage: 1Gi}}}
        ---
        {kind: PersistentVolume, metadata: {name: pv}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],
          csi: {driver: block.mooring.dev, volumeHandle: uid-pv, volumeAttributes: {image: /srv/mooring/pv.img}},
          claimRef: {namespace: ns, name: data, uid: uid-data}}, status: {phase: Bound}}
        ---
        {kind: PersistentVolumeClaim, metadata: {name: disk, namespace: ns}, spec: {volumeName: lv, accessModes: [ReadWriteOncePod]},
         status: {phase: Bound, capacity: {storage: 1Gi}}}
        ---
        {kind: PersistentVolume, metadata: {name: lv}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOncePod],
          local: {path: /disk}, claimRef: {namespace: ns, name: disk, uid: uid-disk}}, status: {phase: Bound}}
        """;

    private static String pod(String name, String uid, String policy, String volume) {
        return """
            {kind: Pod, metadata: {name: NAME, namespace: ns, uid: UID},
             spec: {nodeName: n1, restartPolicy: POLICY, terminationGracePeriodSeconds: 30,
                    containers: [{name: c, image: busybox, imagePullPolicy: IfNotPresent, volumeMounts: [{name: v, mountPath: /v}]}],
                    volumes: [VOLUME]},
             status: {phase: Pending}}
            """.replace("NAME", name)
                .replace("UID", uid)
                .replace("POLICY", policy)
                .replace("VOLUME", volume);
    }

    private static final List<String> KINDS = List.of(
            "{name: v, nfs: {server: nas, path: /x}}",
            "{name: v, nfs: {server: other, path: /y, readOnly: true}}",
            "{name: v, persistentVolumeClaim: {claimName: data}}",
            "{name: v, persistentVolumeClaim: {claimName: disk}}",
            "{name: v, emptyDir: {}}",
            "{name: v, emptyDir: {medium: Memory}}",
            "{name: v, hostPath: {path: /some/where}}");

    private static SimNodeFixture fixture(long seed) {
        SimNodeFixture fixture = new SimNodeFixture(seed, 1);
        fixture.storage.make(DataLocation.image("n1", "/srv/mooring/pv.img"), "uid-pv");
        fixture.put(VOLUMES);
        return fixture;
    }

    private Level before;

    /** Suppresses logs of injected faults. */
    @BeforeEach
    void suppressLogging() {
        Logger mooring = (Logger) LoggerFactory.getLogger("dev.mooring");
        before = mooring.getLevel();
        mooring.setLevel(Level.OFF);
    }

    @AfterEach
    void restoreLogging() {
        ((Logger) LoggerFactory.getLogger("dev.mooring")).setLevel(before);
    }

    @Test
    void podsWithAllVolumeKinds_createdAndDeleted_leaveNothing() {
        SimNodeFixture fixture = fixture(1);
        for (int i = 0; i < KINDS.size(); i++) {
            fixture.put(pod("p" + i, "u" + i, "Always", KINDS.get(i)));
        }
        for (int i = 0; i < KINDS.size(); i++) {
            String name = "p" + i;
            fixture.await(() -> fixture.isRunning(name), LONG, name + " runs");
        }
        fixture.machine().compare(fixture.world());
        assertThat(fixture.machine().kernel().all()).hasSize(6);
        assertThat(fixture.violations.all()).isEmpty();
        for (int i = 0; i < KINDS.size(); i++) {
            fixture.deletePod("p" + i);
        }
        fixture.await(() -> fixture.leftovers().isEmpty(), LONG, "no leftovers");
        fixture.machine().compare(fixture.world());
        fixture.storage.check();
        assertThat(fixture.violations.all()).isEmpty();
    }

    @Test
    void podWithRestartPolicyOnFailure_containersSucceed_finishes() {
        SimNodeFixture fixture = fixture(2);
        fixture.put(pod("job", "u", "OnFailure", KINDS.get(0)));
        fixture.machine().engine().containers().setAllSucceed();
        fixture.await(() -> fixture.pod("job").orElseThrow().isFinished(), LONG, "the Pod has finished");
    }

    @Test
    void pod_processCrashesAndMachineReboots_runsAgain() {
        SimNodeFixture fixture = fixture(3);
        fixture.put(pod("p", "u", "Always", KINDS.get(2)));
        fixture.await(() -> fixture.isRunning("p"), LONG, "the Pod runs");
        String before = fixture.machine().engine().containers().live().toString();
        fixture.crash();
        fixture.scheduler.run(Duration.ofMinutes(5));
        assertThat(fixture.machine().engine().containers().live()).hasToString(before);
        fixture.reboot();
        assertThat(fixture.machine().kernel().all()).isEmpty();
        fixture.await(
                () -> fixture.machine().engine().containers().live().size() == 2
                        && fixture.machine().kernel().all().size() == 2,
                LONG,
                "the Pod runs again");
        fixture.scheduler.run(Duration.ofMinutes(6));
        fixture.machine().compare(fixture.world());
        assertThat(fixture.violations.all()).isEmpty();
    }

    @Test
    void deletedPod_containersRemovedWhileEngineDown_leavesNothing() {
        SimNodeFixture fixture = fixture(5);
        fixture.put(pod("p", "u", "Always", KINDS.get(0)));
        fixture.await(() -> fixture.isRunning("p"), LONG, "the Pod runs");
        fixture.machine().engine().setDown(true);
        fixture.deletePod("p");
        SimContainers containers = fixture.machine().engine().containers();
        containers.ours().forEach(containers::removedByHand);
        fixture.machine().engine().setDown(false);
        fixture.await(() -> fixture.leftovers().isEmpty(), LONG, "no leftovers");
    }

    @Test
    void pods_withInjectedFaults_convergeAndLeaveNothing() {
        long first = Long.getLong("mooring.seed", 100);
        for (long seed = first; seed < first + Long.getLong("mooring.seeds", 5); seed++) {
            try {
                runSeed(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dmooring.seed=" + seed + " -Dmooring.seeds=1: " + e.getMessage(), e);
            }
        }
    }

    @Test
    void sameSeed_runTwice_givesSameTrace() {
        assertThat(runSeed(4711)).isEqualTo(runSeed(4711));
    }

    static long runSeed(long seed) {
        SimNodeFixture fixture = fixture(seed);
        Random random = new Random(seed);
        MachineFaults faults = new MachineFaults(fixture.storage);
        List<String> pods = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            step(fixture, random, faults, pods, i);
            fixture.scheduler.run(Duration.ofMillis(random.nextInt(random.nextInt(5) == 0 ? 60_000 : 500)));
            assertThat(fixture.violations.all()).as("after step %s", i).isEmpty();
        }
        faults.clearFaults();
        fixture.scheduler.run(LONG);
        fixture.machine().compare(fixture.world());
        fixture.storage.check();
        assertThat(fixture.violations.all()).as("after convergence").isEmpty();
        pods.forEach(fixture::deletePod);
        fixture.scheduler.runUntil(() -> fixture.leftovers().isEmpty(), LONG);
        assertThat(fixture.leftovers()).as("leftovers").isEmpty();
        fixture.storage.check();
        assertThat(fixture.violations.all()).as("after deletion").isEmpty();
        fixture.kill();
        return fixture.scheduler.trace();
    }

    private static void step(
            SimNodeFixture fixture, Random random, MachineFaults faults, List<String> pods, int number) {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> {
                String name = "p" + number;
                pods.add(name);
                String policy =
                        List.of("Always", "Always", "Never", "OnFailure").get(random.nextInt(4));
                fixture.put(pod(name, "u" + number, policy, KINDS.get(random.nextInt(KINDS.size()))));
            }
            case 3, 4 -> {
                if (!pods.isEmpty()) {
                    String name = pods.remove(random.nextInt(pods.size()));
                    if (random.nextInt(4) == 0) {
                        fixture.remove("pods/ns/" + name);
                    } else {
                        fixture.deletePod(name);
                    }
                }
            }
            case 5 -> {
                if (random.nextInt(3) == 0) {
                    fixture.reboot();
                } else {
                    fixture.crash();
                }
            }
            default -> faults.inject(random);
        }
    }
}
