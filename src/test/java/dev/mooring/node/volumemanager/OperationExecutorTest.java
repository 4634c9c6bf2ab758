package dev.mooring.node.volumemanager;

import static dev.mooring.node.volumemanager.VolumeManagerFixture.block;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.claimPod;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.local;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.nfsPod;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.ActualVolume;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the kubelet's scenarios of its operation executor: which operations run concurrently. */
final class OperationExecutorTest {
    /** Runs everything but the operations themselves; returns the number of started operations. */
    private static int startedOperations(VolumeManagerFixture fixture) {
        for (int i = 0; i < 200; i++) {
            fixture.controllers().settle();
            if (!fixture.commits.isEmpty()) {
                fixture.commits.poll().run();
            }
        }
        return fixture.threads.size();
    }

    @Test
    void e1_mountsOfPerPodVolumes_runConcurrently() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a") + nfsPod("b"));

        assertThat(startedOperations(fixture)).isEqualTo(2);
    }

    @Test
    void e2_mountsOfSharedVolume_runOneAfterAnother() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(local() + claimPod("a") + claimPod("b"));

        assertThat(startedOperations(fixture)).as("operations on the device").isEqualTo(1);
        while (fixture.kernel.mounted.size() < 2) {
            assertThat(startedOperations(fixture)).isEqualTo(1);
            fixture.threads.poll().run();
            fixture.step();
        }
    }

    @Test
    void e3_unmountsForSeveralPods_runConcurrently() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a") + nfsPod("b")).settle();

        fixture.deletePod("a").deletePod("b");

        assertThat(startedOperations(fixture)).isEqualTo(2);
    }

    @Test
    void e4_device_isUnmountedOnce() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(local() + claimPod("a")).settle();
        fixture.kernel.done();
        fixture.deletePod("a").settle();

        assertThat(fixture.kernel.done()).containsExactly("tearDown a/pv", "unmountDevice pv");
    }

    @Test
    void e5_attach_runsOnceAtATime() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(block() + claimPod("a") + claimPod("b"));

        assertThat(startedOperations(fixture)).isEqualTo(1);
        fixture.settle();
        assertThat(fixture.kernel.done().stream().filter(each -> each.startsWith("attach")))
                .hasSize(1);
    }

    @Test
    void hangingServer_delaysItsOwnVolumesOnly() {
        StringBuilder pods = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            pods.append(pod("dead" + i, "{name: v, nfs: {server: dead, path: /x}}"));
        }
        VolumeManagerFixture fixture = new VolumeManagerFixture(pods.toString());
        assertThat(startedOperations(fixture)).as("operations of one server").isEqualTo(2);

        fixture.put(nfsPod("a"));

        assertThat(startedOperations(fixture)).isEqualTo(3);
        fixture.threads.pollLast().run();
        assertThat(startedOperations(fixture)).isEqualTo(2);
        assertThat(fixture.states()).contains("Mounted: a=Mounted");
    }

    @Test
    void operation_exceedsDeadline_isInterruptedAndRetried() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a"));
        fixture.limits = new WorkLimits(4, 2, Duration.ofMinutes(2));
        boolean[] interrupted = {false};
        fixture.kernel.next("setUp", () -> {
            fixture.wait(Duration.ofMinutes(2).plusMillis(1));
            interrupted[0] = Thread.interrupted();
            throw VolumeManagerFixture.uncertain();
        });

        fixture.settle();

        assertThat(interrupted[0]).isTrue();
        assertThat(fixture.one()
                        .mounts()
                        .get(0)
                        .json()
                        .path("lastError")
                        .path("reason")
                        .asText())
                .isEqualTo("DeadlineExceeded");
        fixture.pass(Duration.ofSeconds(1));
        assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void plugin_throwsException_operationIsRetried() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a") + nfsPod("b"));
        fixture.kernel.next("setUp", () -> {
            throw new IllegalStateException("bug in the plugin");
        });

        fixture.settle();

        assertThat(fixture.states()).contains("Uncertain: a=Uncertain").contains("Mounted: b=Mounted");
        fixture.pass(Duration.ofMillis(500));
        assertThat(fixture.states().lines()).containsExactlyInAnyOrder("Mounted: a=Mounted", "Mounted: b=Mounted");
    }

    @Test
    void reconcilerRestart_operationInProgress_isNotStartedTwice() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a"));
        assertThat(startedOperations(fixture)).isEqualTo(1);

        fixture.crashReconciler();

        assertThat(startedOperations(fixture))
                .as("operations after the restart")
                .isEqualTo(1);
        fixture.settle();
        assertThat(fixture.kernel.done()).containsExactly("setUp a/v");
        assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void crash_atAnyStep_volumesAreMountedOnceAndRemoved() {
        for (int crashAt = 0; ; crashAt++) {
            VolumeManagerFixture fixture = new VolumeManagerFixture(block() + claimPod("a"));
            int steps = 0;
            boolean crashed = false;
            for (String phase : List.of("create", "delete")) {
                if (phase.equals("delete")) {
                    fixture.deletePod("a");
                }
                while (fixture.step()) {
                    if (steps++ == crashAt) {
                        fixture.crash();
                        crashed = true;
                    }
                }
                fixture.pass(Duration.ofMinutes(5));
                if (phase.equals("create")) {
                    assertThat(fixture.states()).as("crash at %s", crashAt).isEqualTo("Mounted: a=Mounted");
                    assertThat(fixture.kernel.mounted).hasSize(1);
                }
            }
            fixture.assertNothingIsLeft();
            if (!crashed) {
                assertThat(crashAt).isGreaterThan(10);
                return;
            }
        }
    }

    @Test
    void reboot_volumesOfExistingPods_areMountedAgain() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(block() + claimPod("a") + nfsPod("b")).settle();
        fixture.kernel.done();

        fixture.reboot();
        fixture.settle();

        assertThat(fixture.kernel.done())
                .containsExactlyInAnyOrder("attach pv", "mountDevice pv", "expand pv", "setUp a/pv", "setUp b/v");
        assertThat(fixture.actual()).extracting(ActualVolume::state).containsOnly(ActualVolume.MOUNTED);
    }
}
