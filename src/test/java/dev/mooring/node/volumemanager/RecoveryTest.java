package dev.mooring.node.volumemanager;

import static dev.mooring.node.volumemanager.VolumeManagerFixture.LAYOUT;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.block;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.claimPod;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.local;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.nfsPod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.status.AttachmentReport;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the kubelet's scenarios of recovery after a restart, in virtual time. */
final class RecoveryTest {
    private static final String NFS = "kubernetes.io/nfs";
    private static final String CSI = "kubernetes.io/csi";
    private static final String LOCAL = "kubernetes.io/local-volume";

    /** Adds a mount to the kernel that is not in the log. */
    private static void addMount(VolumeManagerFixture fixture, String podUid, String plugin, String name) {
        fixture.kernel.mounted.put(LAYOUT.volume(podUid, plugin, name).toString(), podUid);
    }

    private static void removeAll(VolumeManagerFixture fixture, String resource) {
        for (StoredObject each : fixture.world().list(Scope.resource(resource))) {
            fixture.remove(each.key().text());
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
    void c1_sharedVolumeOfTwoMissingPods_isUnmountedThenItsDevice() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(local());
        addMount(fixture, "a", LOCAL, "pv");
        addMount(fixture, "b", LOCAL, "pv");
        fixture.kernel.ready.add("pv");

        fixture.crash();
        assertThat(fixture.states()).isEqualTo("Uncertain: a=Uncertain b=Uncertain");
        fixture.settle();

        assertThat(fixture.kernel.done()).containsExactly("tearDown a/pv", "tearDown b/pv", "unmountDevice pv");
        fixture.assertNothingIsLeft();
    }

    @Test
    void c1_attachedVolumeOfMissingPod_isDetached() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(block());
        addMount(fixture, "a", CSI, "pv");
        fixture.kernel.ready.add("pv");
        fixture.kernel.devices.add("pv");

        fixture.crash();
        assertThat(fixture.one().devicePath()).isEqualTo("/dev/fake-pv");
        fixture.settle();

        assertThat(fixture.kernel.done()).containsExactly("tearDown a/pv", "unmountDevice pv", "detach pv");
        fixture.assertNothingIsLeft();
    }

    @Test
    void c1_mountOfMissingPersistentVolume_isUnmounted() {
        VolumeManagerFixture fixture = new VolumeManagerFixture("");
        addMount(fixture, "a", LOCAL, "pv");
        fixture.kernel.ready.add("pv");

        fixture.crash();
        fixture.settle();

        assertThat(fixture.kernel.done()).containsExactly("tearDown a/pv", "unmountDevice pv");
        fixture.assertNothingIsLeft();
    }

    /** Empty directories are removed with the Pod's directory, others are reported: see package orphan. */
    @ParameterizedTest
    @ValueSource(strings = {"example.com~gone/v", "kubernetes.io~nfs/My notes", "kubernetes.io~nfs/-v", "nonsense/v"})
    void c2_directoryOfUnknownPluginOrName_getsNoEntry(String found) {
        VolumeManagerFixture fixture = new VolumeManagerFixture("");
        fixture.kernel.mounted.put(
                LAYOUT.pod("a").resolve("volumes").resolve(found).toString(), "a");

        fixture.crash();
        fixture.settle();

        assertThat(fixture.actual()).isEmpty();
        assertThat(fixture.kernel.done()).isEmpty();
    }

    @Test
    void c3_mountOfExistingPod_isKept() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a")).settle();
        ActualVolume before = fixture.one();
        removeAll(fixture, StorageNames.ACTUAL_VOLUMES);
        fixture.kernel.done();

        fixture.crash();
        assertThat(fixture.states()).isEqualTo("Uncertain: a=Uncertain");
        fixture.settle();

        assertThat(fixture.kernel.done()).containsExactly("setUp a/v");
        assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
        assertThat(fixture.one().key()).isEqualTo(before.key());
        assertThat(fixture.one().spec()).isEqualTo(before.spec());
        assertThat(fixture.one().mounts().get(0).pod())
                .isEqualTo(before.mounts().get(0).pod());
    }

    /** The container engine would follow the links that Pods of another volume have put into the path. */
    @Test
    void hostPathVolume_notBoundByEarlierVersion_isMountedAgain() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(
                VolumeManagerFixture.claim("hostPath: {path: /srv/team}", "ReadWriteOnce") + claimPod("a"));
        fixture.kernel.returnedPath = Optional.of(Path.of("/srv/team"));
        fixture.settle();
        assertThat(fixture.one().mounts().get(0).path()).isEqualTo("/srv/team");
        fixture.kernel.returnedPath = Optional.empty();
        fixture.kernel.done();

        fixture.crash();
        assertThat(fixture.states()).isEqualTo("Uncertain: a=Uncertain");
        fixture.settle();

        assertThat(fixture.kernel.done()).containsExactly("setUp a/pv");
        String target = LAYOUT.volume("a", "kubernetes.io/host-path", "pv").toString();
        assertThat(fixture.one().mounts().get(0).path()).isEqualTo(target);
        fixture.crash();
        fixture.settle();
        assertThat(fixture.kernel.done()).as("operations on a bound volume").isEmpty();
    }

    @Test
    void c3_mountOfExistingPod_desiredVolumesMissing_isKept() {
        for (String pod : List.of(local() + claimPod("a"), block() + claimPod("a"), nfsPod("a"))) {
            VolumeManagerFixture fixture = new VolumeManagerFixture(pod).settle();
            removeAll(fixture, StorageNames.ACTUAL_VOLUMES);
            removeAll(fixture, StorageNames.DESIRED_VOLUMES);
            fixture.kernel.done();

            fixture.crash();
            fixture.settle();

            assertThat(fixture.kernel.done())
                    .noneMatch(each -> each.startsWith("tearDown") || each.startsWith("detach"));
            assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
            assertThat(fixture.kernel.violations).isEmpty();
        }
    }

    @Test
    void c3_mountOfMissingPod_containerMayRun_isKept() {
        VolumeManagerFixture fixture = new VolumeManagerFixture("");
        addMount(fixture, "a", NFS, "v");
        fixture.running.add("a");

        fixture.crash();
        fixture.settle().pass(Duration.ofMinutes(5));
        assertThat(fixture.kernel.done()).isEmpty();
        fixture.running.clear();
        fixture.pass(Duration.ofMinutes(5));

        assertThat(fixture.kernel.done()).containsExactly("tearDown a/v");
        fixture.assertNothingIsLeft();
    }

    @Test
    void c4_mountOfMissingPod_isUnmountedOnce() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a"));
        addMount(fixture, "gone", NFS, "v");

        fixture.crash();
        fixture.settle().pass(Duration.ofHours(1));

        assertThat(fixture.kernel.done()).containsExactlyInAnyOrder("setUp a/v", "tearDown gone/v");
        assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void c5_mountFails_staysUncertainUntilItSucceeds() {
        for (FailureState left : FailureState.values()) {
            VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a")).settle();
            removeAll(fixture, StorageNames.ACTUAL_VOLUMES);
            fixture.crash();
            fixture.kernel.fails("setUp", left);

            fixture.settle();
            assertThat(fixture.states()).isEqualTo("Uncertain: a=Uncertain");
            fixture.pass(Duration.ofSeconds(1));
            assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
            fixture.deletePod("a").settle();

            fixture.assertNothingIsLeft();
        }
    }

    @Test
    void c5_mountFailsAndPodIsDeleted_isUnmounted() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a")).settle();
        removeAll(fixture, StorageNames.ACTUAL_VOLUMES);
        fixture.crash();
        fixture.kernel.fails("setUp", FailureState.CLEAN);
        fixture.settle();
        fixture.kernel.done();

        fixture.deletePod("a").settle();

        assertThat(fixture.kernel.done()).containsExactly("tearDown a/v");
        fixture.assertNothingIsLeft();
    }

    @Test
    void c5_mountOfBlockDeviceFails_staysUncertainUntilItSucceeds() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(blockMode() + blockModePod("a")).settle();
        assertThat(fixture.kernel.mounted)
                .containsOnlyKeys(LAYOUT.device("a", CSI, "pv").toString());
        removeAll(fixture, StorageNames.ACTUAL_VOLUMES);
        fixture.crash();
        fixture.kernel.fails("setUp", FailureState.CLEAN);

        fixture.settle();
        assertThat(fixture.states()).isEqualTo("Uncertain: a=Uncertain");
        fixture.pass(Duration.ofSeconds(1));
        assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
        fixture.deletePod("a").settle();

        fixture.assertNothingIsLeft();
    }

    @Test
    void reboot_volumesOfExistingPodsAreMountedAndOthersRemoved() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a") + nfsPod("b")).settle();
        fixture.kernel.done();
        fixture.deletePod("b");

        fixture.reboot();
        assertThat(fixture.states().lines())
                .containsExactlyInAnyOrder("Uncertain: a=Uncertain", "Uncertain: b=Uncertain");
        fixture.settle();

        assertThat(fixture.kernel.done()).containsExactlyInAnyOrder("setUp a/v", "tearDown b/v");
        assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void reboot_attachedVolume_isAttachedAndMountedAgain() {
        for (String pod : List.of(block() + claimPod("a"), blockMode() + blockModePod("a"))) {
            VolumeManagerFixture fixture = new VolumeManagerFixture(pod).settle();
            fixture.kernel.done();

            fixture.reboot();
            fixture.settle();

            assertThat(fixture.kernel.done()).containsExactly("attach pv", "mountDevice pv", "expand pv", "setUp a/pv");
            assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
            assertThat(fixture.kernel.violations).isEmpty();
            fixture.deletePod("a").settle();
            fixture.assertNothingIsLeft();
        }
    }

    @Test
    void crash_duringMount_volumeIsUncertainAndMountedAgain() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(nfsPod("a"));
        fixture.controllers().settle();
        assertThat(fixture.states()).isEqualTo("Mounting: a=Mounting");

        fixture.crash();
        assertThat(fixture.states()).isEqualTo("Uncertain: a=Uncertain");
        assertThat(fixture.one().mounts().get(0).operation()).isEmpty();
        fixture.settle();

        assertThat(fixture.kernel.done()).containsExactly("setUp a/v");
        assertThat(fixture.states()).isEqualTo("Mounted: a=Mounted");
    }

    @Test
    void crash_duringAttach_attachmentIsUncertain() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(block() + claimPod("a"));
        fixture.controllers().settle();
        assertThat(fixture.one().operation()).isEqualTo("volume_attach");

        fixture.crash();

        assertThat(fixture.one().operation()).isEmpty();
        assertThat(fixture.one().attachment()).isEqualTo(ActualVolume.UNCERTAIN);
    }

    @Test
    void device_notInLog_isDetached() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(block());
        fixture.kernel.devices.add("pv");

        fixture.crash();
        fixture.settle();

        assertThat(fixture.kernel.done()).containsExactly("unmountDevice pv", "detach pv");
        fixture.assertNothingIsLeft();
    }

    @Test
    void device_withVolumeAttachment_staysAttached() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(block()
                + """
                ---
                {apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: NAME, finalizers: [FINALIZER]},
                 spec: {attacher: block.mooring.dev, nodeName: n1, source: {persistentVolumeName: pv}}, status: {attached: true}}
                """.replace("NAME", CsiNames.attachment(StorageNames.BLOCK_DRIVER, "pv", "n1"))
                        .replace("FINALIZER", AttachmentReport.FINALIZER));
        // A mount of the volume that a container may still use, so that the controller keeps the attachment.
        fixture.put("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: held},
             spec: {node: n1, volume: kubernetes.io/nfs/x-pv, plugin: kubernetes.io/nfs, persistentVolume: pv},
             status: {state: Mounted, mounts: [{path: /p, pod: {namespace: "", name: "", uid: x}, state: Mounted}]}}
            """);
        fixture.running.add("x");
        fixture.kernel.devices.add("pv");

        fixture.crash();
        fixture.settle().pass(Duration.ofHours(1));
        assertThat(fixture.kernel.done()).doesNotContain("detach pv");
        assertThat(fixture.kernel.devices).containsExactly("pv");
        fixture.running.clear();
        fixture.pass(Duration.ofSeconds(5));

        assertThat(fixture.kernel.done()).containsExactly("tearDown x/pv", "detach pv");
        fixture.assertNothingIsLeft();
    }

    @Test
    void unmount_forMissingPodFails_recordsOneEventForNode() {
        VolumeManagerFixture fixture = new VolumeManagerFixture("---\n{kind: Namespace, metadata: {name: default}}");
        fixture.kernel.mounted.put(
                VolumeManagerFixture.LAYOUT
                        .volume("gone", "kubernetes.io/nfs", "v")
                        .toString(),
                "gone");
        fixture.kernel.fails("tearDown", FailureState.UNCERTAIN).fails("tearDown", FailureState.UNCERTAIN);

        fixture.crash();
        fixture.settle().pass(Duration.ofSeconds(1));

        assertThat(fixture.kernel.done()).containsExactly("tearDown gone/v", "tearDown gone/v");
        assertThat(fixture.recordedEvents())
                .containsExactly(
                        "Warning FailedUnMount UnmountVolume.TearDown failed for volume \"v\" : meant to fail");
        fixture.pass(Duration.ofMinutes(1));
        fixture.assertNothingIsLeft();
    }

    /** Wherever the process is killed: recovery changes nothing on the machine, and a second one writes nothing. */
    @Test
    void recovery_isIdempotentAndLeavesTheMachineUnchanged() {
        for (int steps = 0; steps < 40; steps++) {
            VolumeManagerFixture fixture = new VolumeManagerFixture(block() + claimPod("a") + nfsPod("b"));
            for (int i = 0; i < steps; i++) {
                if (i == 15) {
                    fixture.deletePod("a").deletePod("b");
                }
                fixture.step();
            }
            addMount(fixture, "gone", NFS, "v");
            List<Object> machine = machine(fixture);
            fixture.kernel.done();

            fixture.crash();
            long revision = fixture.world().revision();
            fixture.crash();

            assertThat(fixture.world().revision()).as("after %s steps", steps).isEqualTo(revision);
            assertThat(machine(fixture)).isEqualTo(machine);
            assertThat(fixture.kernel.done()).isEmpty();
            fixture.deletePod("a").deletePod("b").settle();
            fixture.assertNothingIsLeft();
        }
    }

    private static List<Object> machine(VolumeManagerFixture fixture) {
        return List.of(
                new TreeMap<>(fixture.kernel.mounted),
                List.copyOf(fixture.kernel.devices),
                List.copyOf(fixture.kernel.ready));
    }
}
