package dev.mooring.node.reconcile;

import static dev.mooring.node.reconcile.VolumeBench.LAYOUT;
import static dev.mooring.node.reconcile.VolumeBench.block;
import static dev.mooring.node.reconcile.VolumeBench.claimPod;
import static dev.mooring.node.reconcile.VolumeBench.local;
import static dev.mooring.node.reconcile.VolumeBench.nfsPod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.status.AttachmentReport;
import dev.mooring.volume.VolumeException.Left;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kubelet's scenarios of what it finds after a restart, and what becomes of it, in virtual time. */
final class RecoveryTest {
    private static final String NFS = "kubernetes.io/nfs";
    private static final String CSI = "kubernetes.io/csi";
    private static final String LOCAL = "kubernetes.io/local-volume";

    /** As if a former life had mounted it and its log were lost. */
    private static void mounted(VolumeBench bench, String podUid, String plugin, String name) {
        bench.kernel.mounted.put(LAYOUT.volume(podUid, plugin, name).toString(), podUid);
    }

    private static void forget(VolumeBench bench, String resource) {
        for (StoredObject each : bench.world().list(Scope.resource(resource))) {
            bench.remove(each.key().text());
        }
    }

    private static String blockModePod(String name) {
        return claimPod(name)
                .replace("volumeMounts: [{name: v, mountPath: /v}]", "volumeDevices: [{name: v, devicePath: /d}]");
    }

    private static String blockMode() {
        return block().replace("accessModes:", "volumeMode: Block, accessModes:");
    }

    @Test
    void c1WhatTwoPodsHadOfOneVolumeGoesForBothAndThenTheDevice() {
        VolumeBench bench = new VolumeBench(local());
        mounted(bench, "a", LOCAL, "pv");
        mounted(bench, "b", LOCAL, "pv");
        bench.kernel.ready.add("pv");

        bench.crash();
        assertThat(bench.states()).isEqualTo("Uncertain: a=Uncertain b=Uncertain");
        bench.settle();

        assertThat(bench.kernel.done()).containsExactly("tearDown a/pv", "tearDown b/pv", "unmountDevice pv");
        bench.nothingIsLeft();
    }

    @Test
    void c1OfAnAttachedVolumeTheDeviceIsDetachedToo() {
        VolumeBench bench = new VolumeBench(block());
        mounted(bench, "a", CSI, "pv");
        bench.kernel.ready.add("pv");
        bench.kernel.devices.add("pv");

        bench.crash();
        assertThat(bench.one().devicePath()).isEqualTo("/dev/fake-pv");
        bench.settle();

        assertThat(bench.kernel.done()).containsExactly("tearDown a/pv", "unmountDevice pv", "detach pv");
        bench.nothingIsLeft();
    }

    @Test
    void c1OfAVolumeThatIsGoneItselfEnoughIsKnownToTakeItApart() {
        VolumeBench bench = new VolumeBench("");
        mounted(bench, "a", LOCAL, "pv");
        bench.kernel.ready.add("pv");

        bench.crash();
        bench.settle();

        assertThat(bench.kernel.done()).containsExactly("tearDown a/pv", "unmountDevice pv");
        bench.nothingIsLeft();
    }

    /** Empty directories go with the Pod's, others are told: see the package of orphans. */
    @ParameterizedTest
    @ValueSource(strings = {"example.com~gone/v", "kubernetes.io~nfs/My notes", "kubernetes.io~nfs/-v", "nonsense/v"})
    void c2WhatMooringCannotHaveMountedGetsNoEntryThatNobodyCouldTakeApart(String found) {
        VolumeBench bench = new VolumeBench("");
        bench.kernel.mounted.put(
                LAYOUT.pod("a").resolve("volumes").resolve(found).toString(), "a");

        bench.crash();
        bench.settle();

        assertThat(bench.actual()).isEmpty();
        assertThat(bench.kernel.done()).isEmpty();
    }

    @Test
    void c3WhatALivePodWantsIsNotTakenFromIt() {
        VolumeBench bench = new VolumeBench(nfsPod("a")).settle();
        ActualVolume before = bench.one();
        forget(bench, StorageNames.ACTUAL_VOLUMES);
        bench.kernel.done();

        bench.crash();
        assertThat(bench.states()).isEqualTo("Uncertain: a=Uncertain");
        bench.settle();

        assertThat(bench.kernel.done()).containsExactly("setUp a/v");
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
        assertThat(bench.one().key()).isEqualTo(before.key());
        assertThat(bench.one().spec()).isEqualTo(before.spec());
        assertThat(bench.one().mounts().get(0).pod())
                .isEqualTo(before.mounts().get(0).pod());
    }

    @Test
    void c3NotEvenIfWhatIsDesiredIsNotKnownYet() {
        for (String pod : List.of(local() + claimPod("a"), block() + claimPod("a"), nfsPod("a"))) {
            VolumeBench bench = new VolumeBench(pod).settle();
            forget(bench, StorageNames.ACTUAL_VOLUMES);
            forget(bench, StorageNames.DESIRED_VOLUMES);
            bench.kernel.done();

            bench.crash();
            bench.settle();

            assertThat(bench.kernel.done()).noneMatch(each -> each.startsWith("tearDown") || each.startsWith("detach"));
            assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
            assertThat(bench.kernel.faults).isEmpty();
        }
    }

    @Test
    void c3OrIfAContainerMayStillRun() {
        VolumeBench bench = new VolumeBench("");
        mounted(bench, "a", NFS, "v");
        bench.running.add("a");

        bench.crash();
        bench.settle().pass(Duration.ofMinutes(5));
        assertThat(bench.kernel.done()).isEmpty();
        bench.running.clear();
        bench.pass(Duration.ofMinutes(5));

        assertThat(bench.kernel.done()).containsExactly("tearDown a/v");
        bench.nothingIsLeft();
    }

    @Test
    void c4WhatNobodyWantsIsTakenApartOnce() {
        VolumeBench bench = new VolumeBench(nfsPod("a"));
        mounted(bench, "gone", NFS, "v");

        bench.crash();
        bench.settle().pass(Duration.ofHours(1));

        assertThat(bench.kernel.done()).containsExactlyInAnyOrder("setUp a/v", "tearDown gone/v");
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void c5AFailureLeavesWhatWasFoundUncertainUntilItSucceeds() {
        for (Left left : Left.values()) {
            VolumeBench bench = new VolumeBench(nfsPod("a")).settle();
            forget(bench, StorageNames.ACTUAL_VOLUMES);
            bench.crash();
            bench.kernel.fails("setUp", left);

            bench.settle();
            assertThat(bench.states()).isEqualTo("Uncertain: a=Uncertain");
            bench.pass(Duration.ofSeconds(1));
            assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
            bench.deletePod("a").settle();

            bench.nothingIsLeft();
        }
    }

    @Test
    void c5AndIfThePodGoesMeanwhileItIsTornDown() {
        VolumeBench bench = new VolumeBench(nfsPod("a")).settle();
        forget(bench, StorageNames.ACTUAL_VOLUMES);
        bench.crash();
        bench.kernel.fails("setUp", Left.NOTHING);
        bench.settle();
        bench.kernel.done();

        bench.deletePod("a").settle();

        assertThat(bench.kernel.done()).containsExactly("tearDown a/v");
        bench.nothingIsLeft();
    }

    @Test
    void c5TheSameForADeviceThatAPodHasAsItIs() {
        VolumeBench bench = new VolumeBench(blockMode() + blockModePod("a")).settle();
        assertThat(bench.kernel.mounted)
                .containsOnlyKeys(LAYOUT.device("a", CSI, "pv").toString());
        forget(bench, StorageNames.ACTUAL_VOLUMES);
        bench.crash();
        bench.kernel.fails("setUp", Left.NOTHING);

        bench.settle();
        assertThat(bench.states()).isEqualTo("Uncertain: a=Uncertain");
        bench.pass(Duration.ofSeconds(1));
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
        bench.deletePod("a").settle();

        bench.nothingIsLeft();
    }

    @Test
    void afterARebootLivePodsGetTheirVolumesAgainAndOthersLoseTheirEntries() {
        VolumeBench bench = new VolumeBench(nfsPod("a") + nfsPod("b")).settle();
        bench.kernel.done();
        bench.deletePod("b");

        bench.reboot();
        assertThat(bench.states().lines())
                .containsExactlyInAnyOrder("Uncertain: a=Uncertain", "Uncertain: b=Uncertain");
        bench.settle();

        assertThat(bench.kernel.done()).containsExactlyInAnyOrder("setUp a/v", "tearDown b/v");
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void afterARebootAnAttachedVolumeIsAttachedAndMountedAgain() {
        for (String pod : List.of(block() + claimPod("a"), blockMode() + blockModePod("a"))) {
            VolumeBench bench = new VolumeBench(pod).settle();
            bench.kernel.done();

            bench.reboot();
            bench.settle();

            assertThat(bench.kernel.done()).containsExactly("attach pv", "mountDevice pv", "expand pv", "setUp a/pv");
            assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
            assertThat(bench.kernel.faults).isEmpty();
            bench.deletePod("a").settle();
            bench.nothingIsLeft();
        }
    }

    @Test
    void whatWasBeingDoneIsUncertainAndIsDoneAgain() {
        VolumeBench bench = new VolumeBench(nfsPod("a"));
        bench.controllers().settle();
        assertThat(bench.states()).isEqualTo("Mounting: a=Mounting");

        bench.crash();
        assertThat(bench.states()).isEqualTo("Uncertain: a=Uncertain");
        assertThat(bench.one().mounts().get(0).operation()).isEmpty();
        bench.settle();

        assertThat(bench.kernel.done()).containsExactly("setUp a/v");
        assertThat(bench.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void whatWasBeingAttachedIsUncertainAndNotReported() {
        VolumeBench bench = new VolumeBench(block() + claimPod("a"));
        bench.controllers().settle();
        assertThat(bench.one().operation()).isEqualTo("volume_attach");

        bench.crash();

        assertThat(bench.one().operation()).isEmpty();
        assertThat(bench.one().attachment()).isEqualTo(ActualVolume.UNCERTAIN);
    }

    @Test
    void aDeviceOfWhichTheLogDoesNotKnowIsDetached() {
        VolumeBench bench = new VolumeBench(block());
        bench.kernel.devices.add("pv");

        bench.crash();
        bench.settle();

        assertThat(bench.kernel.done()).containsExactly("unmountDevice pv", "detach pv");
        bench.nothingIsLeft();
    }

    @Test
    void aDeviceThatAVolumeAttachmentGivesToTheNodeIsNot() {
        VolumeBench bench = new VolumeBench(block()
                + """
                ---
                {apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: NAME, finalizers: [FINALIZER]},
                 spec: {attacher: block.mooring.dev, nodeName: n1, source: {persistentVolumeName: pv}}, status: {attached: true}}
                """.replace("NAME", CsiNames.attachment(StorageNames.BLOCK_DRIVER, "pv", "n1"))
                        .replace("FINALIZER", AttachmentReport.FINALIZER));
        // Something of the volume that a container may still use, so that the controller does not take it away.
        bench.put("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: held},
             spec: {node: n1, volume: kubernetes.io/nfs/x-pv, plugin: kubernetes.io/nfs, persistentVolume: pv},
             status: {state: Mounted, mounts: [{path: /p, pod: {namespace: "", name: "", uid: x}, state: Mounted}]}}
            """);
        bench.running.add("x");
        bench.kernel.devices.add("pv");

        bench.crash();
        bench.settle().pass(Duration.ofHours(1));
        assertThat(bench.kernel.done()).doesNotContain("detach pv");
        assertThat(bench.kernel.devices).containsExactly("pv");
        bench.running.clear();
        bench.pass(Duration.ofSeconds(5));

        assertThat(bench.kernel.done()).containsExactly("tearDown x/pv", "detach pv");
        bench.nothingIsLeft();
    }

    @Test
    void whatIsLeftOverOfAPodThatNobodyKnowsIsToldToTheNodeOnce() {
        VolumeBench bench = new VolumeBench("---\n{kind: Namespace, metadata: {name: default}}");
        bench.kernel.mounted.put(
                VolumeBench.LAYOUT.volume("gone", "kubernetes.io/nfs", "v").toString(), "gone");
        bench.kernel.fails("tearDown", Left.PERHAPS_SOMETHING).fails("tearDown", Left.PERHAPS_SOMETHING);

        bench.crash();
        bench.settle().pass(Duration.ofSeconds(1));

        assertThat(bench.kernel.done()).containsExactly("tearDown gone/v", "tearDown gone/v");
        assertThat(bench.told())
                .containsExactly(
                        "Warning FailedUnMount UnmountVolume.TearDown failed for volume \"v\" : meant to fail");
        bench.pass(Duration.ofMinutes(1));
        bench.nothingIsLeft();
    }

    /** Wherever the process dies: to look twice is to look once, and looking changes nothing on the machine. */
    @Test
    void lookingChangesNothingOnTheMachineAndTheSecondTimeNothingAtAll() {
        for (int steps = 0; steps < 40; steps++) {
            VolumeBench bench = new VolumeBench(block() + claimPod("a") + nfsPod("b"));
            for (int i = 0; i < steps; i++) {
                if (i == 15) {
                    bench.deletePod("a").deletePod("b");
                }
                bench.step();
            }
            mounted(bench, "gone", NFS, "v");
            List<Object> machine = machine(bench);
            bench.kernel.done();

            bench.crash();
            long revision = bench.world().revision();
            bench.crash();

            assertThat(bench.world().revision()).as("after %s steps", steps).isEqualTo(revision);
            assertThat(machine(bench)).isEqualTo(machine);
            assertThat(bench.kernel.done()).isEmpty();
            bench.deletePod("a").deletePod("b").settle();
            bench.nothingIsLeft();
        }
    }

    private static List<Object> machine(VolumeBench bench) {
        return List.of(
                new TreeMap<>(bench.kernel.mounted),
                List.copyOf(bench.kernel.devices),
                List.copyOf(bench.kernel.ready));
    }
}
