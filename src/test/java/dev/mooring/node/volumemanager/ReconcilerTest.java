package dev.mooring.node.volumemanager;

import static dev.mooring.node.volumemanager.VolumeManagerFixture.block;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.claim;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.claimPod;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.local;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.nfsPod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.volume.VolumeException.FailureState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kubelet's scenarios of its reconciler, in virtual time. */
final class ReconcilerTest {
    @Test
    void r1DoesNothingWhenNothingIsDesired() {
        VolumeManagerFixture bench = new VolumeManagerFixture("").settle();

        assertThat(bench.kernel.done()).isEmpty();
        assertThat(bench.events()).isEmpty();
    }

    @Test
    void r2MountsWhatAPodWantsOnceWithAnEventBeforeAndOneAfter() {
        VolumeManagerFixture bench = new VolumeManagerFixture(nfsPod("a")).settle();

        assertThat(bench.kernel.done()).containsExactly("setUp a/v");
        assertThat(bench.events()).containsExactly("VolumeMounting", "VolumeMounted");
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
        bench.pass(Duration.ofHours(1));
        assertThat(bench.kernel.done()).isEmpty();
    }

    @Test
    void r3TheNodeAttachesWhatItWasGivenThenMountsTheDeviceThenForThePod() {
        VolumeManagerFixture bench = new VolumeManagerFixture(block() + claimPod("a")).settle();

        assertThat(bench.kernel.done()).containsExactly("attach pv", "mountDevice pv", "setUp a/pv");
        assertThat(bench.events())
                .containsExactly(
                        "VolumeAttaching",
                        "VolumeAttached",
                        "VolumeDeviceMounting",
                        "VolumeDeviceMounted",
                        "VolumeMounting",
                        "VolumeMounted");
        assertThat(bench.one().devicePath()).isEqualTo("/dev/fake-pv");
    }

    @Test
    void r4DoesNotMountWhatNoVolumeAttachmentGivesToTheNode() {
        VolumeManagerFixture bench = new VolumeManagerFixture(block() + claimPod("a") + """
            ---
            {kind: Node, metadata: {name: n2}}
            ---
            {apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: elsewhere},
             spec: {attacher: block.mooring.dev, nodeName: n2, source: {persistentVolumeName: pv}}, status: {attached: true}}
            """).settle();

        assertThat(bench.kernel.done()).isEmpty();
        assertThat(bench.events()).isEmpty();
    }

    @Test
    void r5AndR6TakeItApartInReverseAndDetachWhenTheControllerLetsGo() {
        VolumeManagerFixture bench = new VolumeManagerFixture(block() + claimPod("a")).settle();
        bench.kernel.done();
        bench.events();

        bench.deletePod("a").settle();

        assertThat(bench.kernel.done()).containsExactly("tearDown a/pv", "unmountDevice pv", "detach pv");
        assertThat(bench.events())
                .containsExactly(
                        "VolumeUnmounting",
                        "VolumeUnmounted",
                        "VolumeDeviceUnmounting",
                        "VolumeDeviceUnmounted",
                        "VolumeDetaching",
                        "VolumeDetached");
        bench.assertNothingIsLeft();
        assertThat(bench.world().count(Scope.resource("volumeattachments.storage.k8s.io")))
                .isZero();
    }

    @Test
    void r12GrowsWhatIsUsedWhenMoreIsWanted() {
        VolumeManagerFixture bench = new VolumeManagerFixture(block() + claimPod("a")).settle();
        bench.kernel.done();

        bench.change(
                        "persistentvolumes/pv",
                        pv -> pv.withObject("/spec/capacity").put("storage", "2Gi"))
                .settle();

        assertThat(bench.kernel.done()).containsExactly("expand pv");
        assertThat(bench.one().capacity().orElseThrow()).hasToString("2Gi");
    }

    @Test
    void r12WhatCanGrowOnlyUnusedIsTriedOnceAndGrowsWithTheNextMount() {
        VolumeManagerFixture bench = new VolumeManagerFixture(block() + claimPod("a")).settle();
        bench.kernel.growsOnlyUnused = true;
        bench.kernel.done();

        bench.change(
                "persistentvolumes/pv", pv -> pv.withObject("/spec/capacity").put("storage", "2Gi"));
        bench.settle().pass(Duration.ofHours(1));
        assertThat(bench.kernel.done()).containsExactly("expand pv");
        assertThat(bench.one().capacity().orElseThrow()).hasToString("1Gi");

        bench.deletePod("a").settle();
        bench.put(claimPod("b")).settle();

        assertThat(bench.kernel.sizes).containsEntry("pv", 2L << 30);
        assertThat(bench.one().capacity().orElseThrow()).hasToString("2Gi");
    }

    @Test
    void aDeviceThatMayHaveBeenMountedAllTheTimeIsNotTakenForGrown() {
        VolumeManagerFixture bench = new VolumeManagerFixture(block() + claimPod("a")).settle();
        bench.kernel.growsOnlyUnused = true;
        bench.change(
                "actualvolumes.mooring.dev/" + bench.one().name(),
                volume -> volume.withObject("/status").put("deviceMount", ActualVolume.UNCERTAIN));
        bench.change(
                "persistentvolumes/pv", pv -> pv.withObject("/spec/capacity").put("storage", "2Gi"));

        bench.settle();

        assertThat(bench.one().deviceMount()).isEqualTo(ActualVolume.MOUNTED);
        assertThat(bench.one().capacity().orElseThrow()).hasToString("1Gi");
    }

    @Test
    void r12DoesNotGrowWhatIsReadOnly() {
        VolumeManagerFixture bench = new VolumeManagerFixture(block()
                        + VolumeManagerFixture.pod(
                                "a", "{name: v, persistentVolumeClaim: {claimName: data, readOnly: true}}"))
                .settle();
        bench.kernel.done();

        bench.change(
                        "persistentvolumes/pv",
                        pv -> pv.withObject("/spec/capacity").put("storage", "2Gi"))
                .settle();

        assertThat(bench.kernel.done()).doesNotContain("expand pv");
    }

    @Test
    void r13ADeviceMountThatTookTooLongStaysUncertainUntilItSucceedsOrIsUnmounted() {
        VolumeManagerFixture bench = new VolumeManagerFixture(local() + claimPod("a"));
        bench.kernel.fails("mountDevice", FailureState.UNCERTAIN).fails("mountDevice", FailureState.CLEAN);

        bench.settle();
        assertThat(bench.one().deviceMount()).isEqualTo(ActualVolume.UNCERTAIN);
        assertThat(bench.states()).isEqualTo("Uncertain:");
        // The kubelet takes it for not mounted from here on. Who unmounts what is not there loses nothing.
        bench.pass(Duration.ofMillis(500));
        assertThat(bench.one().deviceMount()).isEqualTo(ActualVolume.UNCERTAIN);
        bench.pass(Duration.ofSeconds(1));
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void r13ADeviceMountThatFailedIsAsIfItHadNotBeenTried() {
        VolumeManagerFixture bench = new VolumeManagerFixture(local() + claimPod("a"));
        bench.kernel.fails("mountDevice", FailureState.CLEAN);

        bench.settle();

        assertThat(bench.one().deviceMount()).isEmpty();
        assertThat(bench.states()).isEqualTo("Failed:");
        bench.deletePod("a").settle();
        assertThat(bench.kernel.done()).containsExactly("mountDevice pv");
        bench.assertNothingIsLeft();
    }

    @Test
    void r14AMountThatTookTooLongIsUncertainAndIsUnmountedWhenThePodGoes() {
        VolumeManagerFixture bench = new VolumeManagerFixture(nfsPod("a"));
        bench.kernel.fails("setUp", FailureState.UNCERTAIN);
        bench.settle();

        assertThat(bench.states()).isEqualTo("Uncertain: a=Uncertain");
        assertThat(bench.events()).containsExactly("VolumeMounting", "VolumeMountUncertain");
        bench.kernel.done();
        bench.deletePod("a").settle();

        assertThat(bench.kernel.done()).containsExactly("tearDown a/v");
        bench.assertNothingIsLeft();
    }

    @Test
    void r14AMountThatFailedSaysSoAndIsTriedAgainLaterAndLater() {
        VolumeManagerFixture bench = new VolumeManagerFixture(nfsPod("a"));
        for (int i = 0; i < 20; i++) {
            bench.kernel.fails("setUp", FailureState.CLEAN);
        }
        bench.settle();
        assertThat(bench.states()).isEqualTo("Failed: a=Failed");
        assertThat(bench.recordedEvents())
                .containsExactly("Warning FailedMount MountVolume.SetUp failed for volume \"v\" : meant to fail");
        bench.kernel.done();

        Duration wait = Duration.ofMillis(500);
        for (int i = 1; i < 10; i++) {
            bench.pass(wait.minusMillis(1));
            assertThat(bench.kernel.done()).as("before try %s", i).isEmpty();
            bench.pass(Duration.ofMillis(1));
            assertThat(bench.kernel.done()).as("try %s", i).hasSize(1);
            assertThat(bench.one().mounts().get(0).retryState().attempts()).isEqualTo(i + 1);
            wait = wait.multipliedBy(2).compareTo(Duration.ofSeconds(122)) > 0
                    ? Duration.ofSeconds(122)
                    : wait.multipliedBy(2);
        }
    }

    @Test
    void r14ARemountThatFailsLeavesItMounted() {
        VolumeManagerFixture bench = new VolumeManagerFixture(nfsPod("a")).settle();
        bench.kernel.fails("setUp", FailureState.CLEAN).fails("setUp", FailureState.UNCERTAIN);

        bench.change("pods/ns/a", pod -> pod.withObject("/metadata/labels").put("content", "2"))
                .settle();
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
        bench.pass(Duration.ofMillis(500));
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
        bench.pass(Duration.ofSeconds(1));

        assertThat(bench.one().mounts().get(0).content()).isEqualTo("2");
        assertThat(bench.kernel.done()).hasSize(4);
    }

    @Test
    void theBackOffIsForgottenWhenWhatIsWantedChanges() {
        VolumeManagerFixture bench = new VolumeManagerFixture(nfsPod("a"));
        for (int i = 0; i < 4; i++) {
            bench.kernel.fails("setUp", FailureState.CLEAN);
        }
        bench.settle();
        for (int i = 0; i < 3; i++) {
            bench.pass(Duration.ofSeconds(10));
        }
        bench.kernel.done();

        bench.change("pods/ns/a", pod -> pod.withObject("/metadata/labels").put("content", "2"))
                .settle();

        assertThat(bench.kernel.done()).containsExactly("setUp a/v");
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
        assertThat(bench.one().mounts().get(0).retryState().attempts()).isZero();
    }

    @Test
    void anUnmountIsNotDelayedByFailuresToMount() {
        VolumeManagerFixture bench = new VolumeManagerFixture(nfsPod("a"));
        for (int i = 0; i < 3; i++) {
            bench.kernel.fails("setUp", FailureState.UNCERTAIN);
        }
        bench.settle().pass(Duration.ofMillis(500)).pass(Duration.ofSeconds(1));
        bench.kernel.done();

        bench.deletePod("a").settle();

        assertThat(bench.kernel.done()).containsExactly("tearDown a/v");
        bench.assertNothingIsLeft();
    }

    @Test
    void aFailedUnmountIsUncertainIsToldAndNothingIsForgotten() {
        VolumeManagerFixture bench = new VolumeManagerFixture(nfsPod("a")).settle();
        bench.kernel.fails("tearDown", FailureState.UNCERTAIN).fails("tearDown", FailureState.CLEAN);

        bench.deletePod("a").settle();
        assertThat(bench.states()).isEqualTo("Uncertain: a=Uncertain");
        assertThat(bench.recordedEvents())
                .contains("Warning FailedUnMount UnmountVolume.TearDown failed for volume \"v\" : meant to fail");
        bench.pass(Duration.ofMillis(500));
        assertThat(bench.states()).isEqualTo("Uncertain: a=Uncertain");
        bench.pass(Duration.ofSeconds(1));

        bench.assertNothingIsLeft();
    }

    @Test
    void r15APodThatComesWhileTheDeviceGoesWaitsAndThenGetsItAnew() {
        VolumeManagerFixture bench = new VolumeManagerFixture(local() + claimPod("a")).settle();
        bench.deletePod("a");
        while (bench.kernel.done.stream().noneMatch(each -> each.startsWith("tearDown"))) {
            assertThat(bench.step()).isTrue();
        }
        bench.put(claimPod("b")).settle();

        assertThat(bench.states()).isEqualTo("Mounted: b=Mounted");
        assertThat(bench.kernel.violations).isEmpty();
    }

    @Test
    void i5WhatOnePodMustGiveBackIsGivenBackBeforeTheNextGetsIt() {
        VolumeManagerFixture bench = new VolumeManagerFixture(local() + claimPod("a")).settle();
        bench.kernel.done();

        bench.put(claimPod("b")).deletePod("a").settle();

        List<String> done = bench.kernel.done();
        assertThat(done.indexOf("tearDown a/pv")).isLessThan(done.indexOf("setUp b/pv"));
        assertThat(bench.states()).isEqualTo("Mounted: b=Mounted");
    }

    @Test
    void i6ASecondPodWaitsForAReadWriteOncePodVolumeAndIsToldWhy() {
        VolumeManagerFixture bench = new VolumeManagerFixture(
                        claim("nfs: {server: nas, path: /x}", "ReadWriteOncePod") + claimPod("a"))
                .settle();
        bench.put(claimPod("b")).settle();

        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
        assertThat(bench.recordedEvents())
                .anyMatch(each -> each.contains("volume uses the ReadWriteOncePod access mode and is already in use by"
                        + " another pod (ns/a)"));
        bench.deletePod("a").settle();

        assertThat(bench.states()).isEqualTo("Mounted: b=Mounted");
    }

    @Test
    void i6AVolumeForOneNodeThatAnotherNodeHasIsNotMounted() {
        VolumeManagerFixture bench = new VolumeManagerFixture(
                        claim("nfs: {server: nas, path: /x}", "ReadWriteOnce") + claimPod("a") + """
                            ---
                            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: elsewhere},
                             spec: {node: n2, volume: kubernetes.io/nfs/x, plugin: kubernetes.io/nfs, persistentVolume: pv}, status: {state: Mounted}}
                            """)
                .settle();

        assertThat(bench.kernel.done()).isEmpty();
        assertThat(bench.recordedEvents()).anyMatch(each -> each.contains("Volume is already used on node n2"));
        bench.remove("actualvolumes.mooring.dev/elsewhere").settle();

        assertThat(bench.kernel.done()).containsExactly("setUp a/pv");
    }

    /** Seed 158 of the simulation: the reclaimer ordered the deletion of the data while the mount began. */
    @ParameterizedTest
    @ValueSource(strings = {"nfs RWX", "nfs RWO", "block"})
    void mountDoesNotBeginWhileTheVolumeIsReleased(String kind) {
        String bound = switch (kind) {
            case "nfs RWX" -> claim("nfs: {server: nas, path: /x}", "ReadWriteMany");
            case "nfs RWO" -> claim("nfs: {server: nas, path: /x}", "ReadWriteOnce");
            default -> block();
        };
        int volume = bound.lastIndexOf("---");
        String released = bound.substring(volume).replace("phase: Bound", "phase: Released");
        VolumeManagerFixture bench =
                new VolumeManagerFixture(bound.substring(0, volume) + released + claimPod("a")).settle();
        assertThat(bench.kernel.done()).isEmpty();
        assertThat(bench.actual()).isEmpty();

        bench.put(bound.substring(volume)).pass(Duration.ofMinutes(1));

        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void nothingIsTakenFromAPodBecauseSomebodyDeletesItsDesiredVolume() {
        VolumeManagerFixture bench = new VolumeManagerFixture(nfsPod("a")).settle();
        bench.kernel.done();
        String name = bench.world()
                .list(Scope.resource("desiredvolumes.mooring.dev"))
                .iterator()
                .next()
                .key()
                .text();

        bench.remove(name).settle();

        assertThat(bench.kernel.done()).isEmpty();
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void nothingIsTakenFromContainersThatMayStillRun() {
        VolumeManagerFixture bench = new VolumeManagerFixture(nfsPod("a")).settle();
        bench.running.add("a");
        bench.kernel.done();

        bench.deletePod("a").settle().pass(Duration.ofMinutes(1));
        assertThat(bench.kernel.done()).isEmpty();
        bench.running.clear();
        bench.pass(Duration.ofMinutes(1));

        assertThat(bench.kernel.done()).containsExactly("tearDown a/v");
        bench.assertNothingIsLeft();
    }

    @Test
    void twoVolumesOfOneClaimInOnePodAreOneMountThatIsWritableIfOneIs() {
        VolumeManagerFixture bench =
                new VolumeManagerFixture(claim("nfs: {server: nas, path: /x}", "ReadWriteMany") + """
                    ---
                    {kind: Pod, metadata: {name: a, namespace: ns, uid: a},
                     spec: {nodeName: n1, containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}, {name: w, mountPath: /w}]}],
                            volumes: [{name: v, persistentVolumeClaim: {claimName: data, readOnly: true}},
                                      {name: w, persistentVolumeClaim: {claimName: data}}]}}
                    """).settle();

        assertThat(bench.kernel.done()).containsExactly("setUp a/pv");
        assertThat(bench.kernel.readOnly.values()).containsExactly(false);
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
    }
}
