package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.volume.VolumeException.FailureState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Random runs in orders that threads could produce: Pods are created and deleted, calls fail, hang or succeed
 * partially, processes are killed and machines reboot. When the faults end, the mounts are those that the Pods need;
 * when the Pods are deleted, nothing is left.
 */
final class VolumeProperties {
    private static final int SEEDS = 400;
    private static final int ACTIONS = 60;
    private static final List<String> KINDS = List.of("nfs", "shared", "disk", "block", "once");
    private static final List<String> CALLS =
            List.of("setUp", "tearDown", "attach", "detach", "mountDevice", "unmountDevice", "expand");

    /**
     * Seeds that once found bugs: two Pods with a ReadWriteOncePod volume, a device removed while in use, an attachment
     * that was never reported.
     */
    private static final long[] FAILED_SEEDS = {56, 74, 172, 255, 2308, 2885, 3308, 3318, 5233, 5490};

    @Test
    void mounts_seedsThatOnceFailed_followPods() {
        for (long seed : FAILED_SEEDS) {
            run(seed);
        }
    }

    @Test
    void mounts_randomFaults_followPods() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                run(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    static void run(long seed) {
        Random random = new Random(seed);
        VolumeManagerFixture fixture = new VolumeManagerFixture(claims());
        TreeMap<String, String> pods = new TreeMap<>();
        for (int i = 0; i < ACTIONS; i++) {
            step(fixture, pods, random);
            int steps = random.nextInt(12);
            for (int j = 0; j < steps; j++) {
                fixture.step(random);
            }
            assertOnePodPerReadWriteOncePod(fixture);
            assertThat(fixture.kernel.violations).isEmpty();
        }
        fixture.kernel.clearFailures();
        converge(fixture);
        assertEveryPodHasItsVolumes(fixture, pods);
        new ArrayList<>(pods.keySet()).forEach(fixture::deletePod);
        converge(fixture);
        fixture.assertNothingIsLeft();
    }

    private static void step(VolumeManagerFixture fixture, NavigableMap<String, String> pods, Random random) {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> {
                String kind = KINDS.get(random.nextInt(KINDS.size()));
                String name = "p" + random.nextInt(6);
                if (!pods.containsKey(name)) {
                    String uid = name + '-' + random.nextInt(1_000_000);
                    pods.put(name, kind);
                    fixture.put(pod(name, uid, kind));
                }
            }
            case 4, 5 -> {
                if (!pods.isEmpty()) {
                    String name = new ArrayList<>(pods.keySet()).get(random.nextInt(pods.size()));
                    pods.remove(name);
                    fixture.deletePod(name);
                }
            }
            case 6, 7 -> {
                String call = CALLS.get(random.nextInt(CALLS.size()));
                FailureState left = random.nextBoolean() ? FailureState.CLEAN : FailureState.UNCERTAIN;
                boolean afterwards = left == FailureState.UNCERTAIN && random.nextBoolean();
                fixture.kernel.fails(afterwards ? call + " afterwards" : call, left);
            }
            case 8 -> fixture.crash();
            case 9 -> {
                if (random.nextInt(3) == 0) {
                    fixture.reboot();
                } else {
                    fixture.crashReconciler();
                }
            }
            case 10 -> fixture.wait(Duration.ofMillis(random.nextInt(3000)));
            default -> {
                if (!pods.isEmpty()) {
                    String name = pods.firstKey();
                    fixture.change(
                            "pods/ns/" + name,
                            pod -> pod.withObject("/metadata/labels")
                                    .put("content", Integer.toString(random.nextInt(3))));
                }
            }
        }
    }

    private static void converge(VolumeManagerFixture fixture) {
        fixture.settle();
        for (int i = 0; i < 10; i++) {
            fixture.pass(Duration.ofSeconds(123));
        }
    }

    /** Asserts that a ReadWriteOncePod volume is never mounted for two Pods. */
    private static void assertOnePodPerReadWriteOncePod(VolumeManagerFixture fixture) {
        long mounts = fixture.kernel.mounted.keySet().stream()
                .filter(path -> path.endsWith("/pv-once"))
                .count();
        assertThat(mounts).as("mounts of a ReadWriteOncePod volume").isLessThanOrEqualTo(1);
    }

    private static void assertEveryPodHasItsVolumes(VolumeManagerFixture fixture, Map<String, String> pods) {
        TreeSet<String> expected = new TreeSet<>();
        boolean once = false;
        for (var each : pods.entrySet()) {
            if (!each.getValue().equals("once")) {
                expected.add(each.getKey());
            } else {
                once = true;
            }
        }
        TreeSet<String> mounted = new TreeSet<>();
        TreeSet<String> mountedOnce = new TreeSet<>();
        for (ActualVolume volume : fixture.actual()) {
            for (ActualVolume.Mount mount : volume.mounts()) {
                assertThat(mount.state()).as(volume + " " + mount.json()).isEqualTo(ActualVolume.MOUNTED);
                assertThat(fixture.kernel.mounted).containsKey(mount.path());
                (volume.persistentVolume().equals("pv-once") ? mountedOnce : mounted)
                        .add(mount.pod().name());
            }
        }
        assertThat(mounted).isEqualTo(expected);
        assertThat(mountedOnce).hasSize(once ? 1 : 0);
        assertThat(fixture.kernel.mounted).hasSize(mounted.size() + mountedOnce.size());
    }

    private static String pod(String name, String uid, String kind) {
        String volume = kind.equals("nfs")
                ? "{name: v, nfs: {server: nas, path: /x}}"
                : "{name: v, persistentVolumeClaim: {claimName: " + kind + "}}";
        return """
            {kind: Pod, metadata: {name: NAME, namespace: ns, uid: UID},
             spec: {nodeName: n1, containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [VOLUME]}}
            """.replace("NAME", name).replace("UID", uid).replace("VOLUME", volume);
    }

    private static String claims() {
        return claim("shared", "nfs: {server: nas, path: /y}", "ReadWriteMany")
                + claim("once", "nfs: {server: nas, path: /z}", "ReadWriteOncePod")
                + claim("disk", "local: {path: /disk}", "ReadWriteOnce")
                + claim(
                        "block",
                        "csi: {driver: block.mooring.dev, volumeHandle: pv-block, volumeAttributes: {image:"
                                + " /base/pv-block.img}}",
                        "ReadWriteOnce");
    }

    private static String claim(String name, String source, String mode) {
        return """
            ---
            {kind: PersistentVolumeClaim, metadata: {name: NAME, namespace: ns, finalizers: [kubernetes.io/pvc-protection]},
             spec: {volumeName: pv-NAME, accessModes: [MODE]}, status: {phase: Bound, capacity: {storage: 1Gi}}}
            ---
            {kind: PersistentVolume, metadata: {name: pv-NAME},
             spec: {capacity: {storage: 1Gi}, accessModes: [MODE], SOURCE,
                    claimRef: {namespace: ns, name: NAME, uid: uid-NAME}}, status: {phase: Bound}}
            """.replace("SOURCE", source).replace("MODE", mode).replace("NAME", name);
    }
}
