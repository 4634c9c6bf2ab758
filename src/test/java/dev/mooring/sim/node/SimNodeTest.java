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

/** Whether Pods live and die on simulated machines as on real ones, with and without misfortune, and two lives of a seed are the same. */
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

    private static Stand stand(long seed) {
        Stand stand = new Stand(seed, 1);
        stand.storage.make(Place.image("n1", "/srv/mooring/pv.img"), "uid-pv");
        stand.put(VOLUMES);
        return stand;
    }

    private Level before;

    /** Misfortune is not news here. */
    @BeforeEach
    void quiet() {
        Logger mooring = (Logger) LoggerFactory.getLogger("dev.mooring");
        before = mooring.getLevel();
        mooring.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        ((Logger) LoggerFactory.getLogger("dev.mooring")).setLevel(before);
    }

    @Test
    void podsWithVolumesRunAndGoAndNothingIsLeft() {
        Stand stand = stand(1);
        for (int i = 0; i < KINDS.size(); i++) {
            stand.put(pod("p" + i, "u" + i, "Always", KINDS.get(i)));
        }
        for (int i = 0; i < KINDS.size(); i++) {
            String name = "p" + i;
            stand.until(() -> stand.runs(name), LONG, name + " runs");
        }
        stand.machine().compare(stand.world());
        assertThat(stand.machine().kernel().all()).hasSize(6);
        assertThat(stand.findings.all()).isEmpty();
        for (int i = 0; i < KINDS.size(); i++) {
            stand.deletePod("p" + i);
        }
        stand.until(() -> stand.leftovers().isEmpty(), LONG, "nothing is left");
        stand.machine().compare(stand.world());
        stand.storage.check();
        assertThat(stand.findings.all()).isEmpty();
    }

    @Test
    void aJobEndsByItself() {
        Stand stand = stand(2);
        stand.put(pod("job", "u", "OnFailure", KINDS.get(0)));
        stand.machine().engine().containers().succeed();
        stand.until(() -> stand.pod("job").orElseThrow().isFinished(), LONG, "it has finished");
    }

    @Test
    void podsOutliveProcessesAndMachines() {
        Stand stand = stand(3);
        stand.put(pod("p", "u", "Always", KINDS.get(2)));
        stand.until(() -> stand.runs("p"), LONG, "it runs");
        String before = stand.machine().engine().containers().live().toString();
        stand.crash();
        stand.schedule.run(Duration.ofMinutes(5));
        assertThat(stand.machine().engine().containers().live()).hasToString(before);
        stand.reboot();
        assertThat(stand.machine().kernel().all()).isEmpty();
        stand.until(
                () -> stand.machine().engine().containers().live().size() == 2
                        && stand.machine().kernel().all().size() == 2,
                LONG,
                "it runs again");
        stand.schedule.run(Duration.ofMinutes(6));
        stand.machine().compare(stand.world());
        assertThat(stand.findings.all()).isEmpty();
    }

    @Test
    void aPodGoesWhoseContainersSomebodyHasRemovedWhileNobodyLooked() {
        Stand stand = stand(5);
        stand.put(pod("p", "u", "Always", KINDS.get(0)));
        stand.until(() -> stand.runs("p"), LONG, "it runs");
        stand.machine().engine().setDown(true);
        stand.deletePod("p");
        SimContainers containers = stand.machine().engine().containers();
        containers.ours().forEach(containers::removedByHand);
        stand.machine().engine().setDown(false);
        stand.until(() -> stand.leftovers().isEmpty(), LONG, "nothing is left");
    }

    @Test
    void whateverHappensAllIsWellInTheEnd() {
        long first = Long.getLong("mooring.seed", 100);
        for (long seed = first; seed < first + Long.getLong("mooring.seeds", 5); seed++) {
            try {
                live(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dmooring.seed=" + seed + " -Dmooring.seeds=1: " + e.getMessage(), e);
            }
        }
    }

    @Test
    void twoLivesOfASeedAreTheSame() {
        assertThat(live(4711)).isEqualTo(live(4711));
    }

    static long live(long seed) {
        Stand stand = stand(seed);
        Random random = new Random(seed);
        MachineFaults faults = new MachineFaults(stand.storage);
        List<String> pods = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            act(stand, random, faults, pods, i);
            stand.schedule.run(Duration.ofMillis(random.nextInt(random.nextInt(5) == 0 ? 60_000 : 500)));
            assertThat(stand.findings.all()).as("after act %s", i).isEmpty();
        }
        faults.forgive();
        stand.schedule.run(LONG);
        stand.machine().compare(stand.world());
        stand.storage.check();
        assertThat(stand.findings.all()).as("at rest").isEmpty();
        pods.forEach(stand::deletePod);
        stand.schedule.runUntil(() -> stand.leftovers().isEmpty(), LONG);
        assertThat(stand.leftovers()).as("what is left").isEmpty();
        stand.storage.check();
        assertThat(stand.findings.all()).as("at the end").isEmpty();
        stand.kill();
        return stand.schedule.trace();
    }

    private static void act(Stand stand, Random random, MachineFaults faults, List<String> pods, int number) {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> {
                String name = "p" + number;
                pods.add(name);
                String policy =
                        List.of("Always", "Always", "Never", "OnFailure").get(random.nextInt(4));
                stand.put(pod(name, "u" + number, policy, KINDS.get(random.nextInt(KINDS.size()))));
            }
            case 3, 4 -> {
                if (!pods.isEmpty()) {
                    String name = pods.remove(random.nextInt(pods.size()));
                    if (random.nextInt(4) == 0) {
                        stand.remove("pods/ns/" + name);
                    } else {
                        stand.deletePod(name);
                    }
                }
            }
            case 5 -> {
                if (random.nextInt(3) == 0) {
                    stand.reboot();
                } else {
                    stand.crash();
                }
            }
            default -> faults.act(random);
        }
    }
}
