package dev.mooring.node.reconcile;

import static dev.mooring.node.reconcile.VolumeBench.block;
import static dev.mooring.node.reconcile.VolumeBench.claimPod;
import static dev.mooring.node.reconcile.VolumeBench.local;
import static dev.mooring.node.reconcile.VolumeBench.nfsPod;
import static dev.mooring.node.reconcile.VolumeBench.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.node.work.WorkLimits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The kubelet's scenarios of its operation executor: what runs at the same time, and what does not. Each thread waits for the test. */
final class OperationExecutorTest {
    /** Lets everything happen but the work itself. */
    private static int threads(VolumeBench bench) {
        for (int i = 0; i < 200; i++) {
            bench.controllers().settle();
            if (!bench.commits.isEmpty()) {
                bench.commits.poll().run();
            }
        }
        return bench.threads.size();
    }

    @Test
    void e1MountsOfAVolumeThatEachPodHasForItselfRunAtTheSameTime() {
        VolumeBench bench = new VolumeBench(nfsPod("a") + nfsPod("b"));

        assertThat(threads(bench)).isEqualTo(2);
    }

    @Test
    void e2MountsOfAVolumeThatPodsShareRunOneAfterTheOther() {
        VolumeBench bench = new VolumeBench(local() + claimPod("a") + claimPod("b"));

        assertThat(threads(bench)).as("the device").isEqualTo(1);
        while (bench.kernel.mounted.size() < 2) {
            assertThat(threads(bench)).isEqualTo(1);
            bench.threads.poll().run();
            bench.step();
        }
    }

    @Test
    void e3UnmountsForSeveralPodsAreOpenAtTheSameTime() {
        VolumeBench bench = new VolumeBench(nfsPod("a") + nfsPod("b")).settle();

        bench.deletePod("a").deletePod("b");

        assertThat(threads(bench)).isEqualTo(2);
    }

    @Test
    void e4ADeviceIsUnmountedOnce() {
        VolumeBench bench = new VolumeBench(local() + claimPod("a")).settle();
        bench.kernel.done();
        bench.deletePod("a").settle();

        assertThat(bench.kernel.done()).containsExactly("tearDown a/pv", "unmountDevice pv");
    }

    @Test
    void e5AnAttachIsTriedOnceAtATime() {
        VolumeBench bench = new VolumeBench(block() + claimPod("a") + claimPod("b"));

        assertThat(threads(bench)).isEqualTo(1);
        bench.settle();
        assertThat(bench.kernel.done().stream().filter(each -> each.startsWith("attach")))
                .hasSize(1);
    }

    @Test
    void aServerThatDoesNotAnswerKeepsOnlyItsOwnVolumesWaiting() {
        StringBuilder pods = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            pods.append(pod("dead" + i, "{name: v, nfs: {server: dead, path: /x}}"));
        }
        VolumeBench bench = new VolumeBench(pods.toString());
        assertThat(threads(bench)).as("as many as a server may have").isEqualTo(2);

        bench.put(nfsPod("a"));

        assertThat(threads(bench)).isEqualTo(3);
        bench.threads.pollLast().run();
        assertThat(threads(bench)).isEqualTo(2);
        assertThat(bench.states()).contains("Mounted: a=Mounted");
    }

    @Test
    void whatTakesTooLongIsInterruptedIsUncertainAndItsNextTryWaitsForTheThread() {
        VolumeBench bench = new VolumeBench(nfsPod("a"));
        bench.limits = new WorkLimits(4, 2, Duration.ofMinutes(2));
        boolean[] interrupted = {false};
        bench.kernel.next("setUp", () -> {
            bench.wait(Duration.ofMinutes(2).plusMillis(1));
            interrupted[0] = Thread.interrupted();
            throw VolumeBench.uncertain();
        });

        bench.settle();

        assertThat(interrupted[0]).isTrue();
        assertThat(bench.one()
                        .mounts()
                        .get(0)
                        .json()
                        .path("lastError")
                        .path("reason")
                        .asText())
                .isEqualTo("DeadlineExceeded");
        bench.pass(Duration.ofSeconds(1));
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void aPluginThatBreaksIsAFailureAndIsTriedAgain() {
        VolumeBench bench = new VolumeBench(nfsPod("a") + nfsPod("b"));
        bench.kernel.next("setUp", () -> {
            throw new IllegalStateException("a fault in the plugin");
        });

        bench.settle();

        assertThat(bench.states()).contains("Uncertain: a=Uncertain").contains("Mounted: b=Mounted");
        bench.pass(Duration.ofMillis(500));
        assertThat(bench.states().lines()).containsExactlyInAnyOrder("Mounted: a=Mounted", "Mounted: b=Mounted");
    }

    @Test
    void aKilledReconcilerTakesOverWhatIsUnderWay() {
        VolumeBench bench = new VolumeBench(nfsPod("a"));
        assertThat(threads(bench)).isEqualTo(1);

        bench.crashReconciler();

        assertThat(threads(bench)).as("not begun twice").isEqualTo(1);
        bench.settle();
        assertThat(bench.kernel.done()).containsExactly("setUp a/v");
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void aCrashBetweenAnyTwoStepsOfALifeLosesNothingAndMountsNothingTwice() {
        for (int crashAt = 0; ; crashAt++) {
            VolumeBench bench = new VolumeBench(block() + claimPod("a"));
            int steps = 0;
            boolean crashed = false;
            for (String phase : List.of("come", "go")) {
                if (phase.equals("go")) {
                    bench.deletePod("a");
                }
                while (bench.step()) {
                    if (steps++ == crashAt) {
                        bench.crash();
                        crashed = true;
                    }
                }
                bench.pass(Duration.ofMinutes(5));
                if (phase.equals("come")) {
                    assertThat(bench.states()).as("crash at %s", crashAt).isEqualTo("Mounted: a=Mounted");
                    assertThat(bench.kernel.mounted).hasSize(1);
                }
            }
            bench.nothingIsLeft();
            if (!crashed) {
                assertThat(crashAt).isGreaterThan(10);
                return;
            }
        }
    }

    @Test
    void aRebootIsFollowedByASetUpForPodsThatAreStillThere() {
        VolumeBench bench = new VolumeBench(block() + claimPod("a") + nfsPod("b")).settle();
        bench.kernel.done();

        bench.reboot();
        bench.settle();

        assertThat(bench.kernel.done())
                .containsExactlyInAnyOrder("attach pv", "mountDevice pv", "expand pv", "setUp a/pv", "setUp b/v");
        assertThat(bench.actual()).extracting(ActualVolume::state).containsOnly(ActualVolume.MOUNTED);
    }
}
