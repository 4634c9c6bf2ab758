package dev.mooring.node.volumemanager;

import static dev.mooring.node.volumemanager.VolumeManagerFixture.LAYOUT;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.NODE;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.block;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.claim;
import static dev.mooring.node.volumemanager.VolumeManagerFixture.local;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.host.MountTable;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.WorldPort;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests the objects that {@link Recovery} writes for a given log and machine. */
final class ReconstructionTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String CSI = "kubernetes.io/csi";
    private static final Path SHARED = LAYOUT.globalMount(CSI, "pv");
    private static final String ROOT = "1 0 8:1 / / rw - ext4 /dev/root rw\n";

    private final NodeContext context =
            new NodeContext(NODE, LAYOUT, new FakeVolumes().plugins(), unused -> false, PreUnmountHook.NONE);

    private static ObservedMachine machine(
            String table, List<ObservedMachine.FoundVolume> volumes, Map<String, Path> backing, Path... shared) {
        List<ObservedMachine.FoundGlobalMount> globalMounts = List.of(shared).stream()
                .map(each -> new ObservedMachine.FoundGlobalMount(
                        CSI, each.getFileName().toString(), each))
                .toList();
        return new ObservedMachine(MountTable.parse(ROOT + table), volumes, globalMounts, backing);
    }

    /** Commits the proposals of {@link Recovery} until there are none. */
    private World recovered(World world, ObservedMachine machine) {
        World current = world;
        for (int round = 0; round < 5; round++) {
            List<Proposal> proposals = new Recovery(context, current, machine, NOW).decide();
            if (proposals.isEmpty()) {
                return current;
            }
            current = WorldFixture.after(current, proposals.get(0));
        }
        throw new AssertionError("Recovery does not converge");
    }

    private static List<ActualVolume> actual(World world) {
        List<ActualVolume> found = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource(StorageNames.ACTUAL_VOLUMES))) {
            found.add(ActualVolume.of(each));
        }
        return found;
    }

    private static World world(String yaml) {
        return WorldFixture.of("{kind: Namespace, metadata: {name: ns}}\n" + yaml);
    }

    private static String actualVolume(String status) {
        return """
            ---
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: NAME},
             spec: {node: n1, volume: VOLUME, plugin: kubernetes.io/csi, persistentVolume: pv,
                    source: {csi: {driver: block.mooring.dev, volumeHandle: pv, volumeAttributes: {image: /base/pv.img}}}},
             status: STATUS}
            """.replace(
                        "NAME",
                        ActualVolume.key(NODE, CSI + "/block.mooring.dev^pv", "pv")
                                .name())
                .replace("VOLUME", CSI + "/block.mooring.dev^pv")
                .replace("STATUS", status);
    }

    @Test
    void globalMount_notInLog_isUncertain() {
        World world = recovered(
                world(block()),
                machine("2 1 7:0 / " + SHARED + " rw - ext4 /dev/loop7 rw\n", List.of(), Map.of(), SHARED));

        ActualVolume found = actual(world).get(0);
        assertThat(actual(world)).hasSize(1);
        assertThat(found.deviceMount()).isEqualTo(ActualVolume.UNCERTAIN);
        assertThat(found.deviceMountPath()).isEqualTo(SHARED.toString());
        assertThat(found.state()).isEqualTo(ActualVolume.UNCERTAIN);
        assertThat(found.persistentVolume()).isEqualTo("pv");
        assertThat(found.volume()).isEqualTo(CSI + "/block.mooring.dev^pv");
        assertThat(found.source().path("csi").path("volumeHandle").asText()).isEqualTo("pv");
        assertThat(found.isReconstructed()).isTrue();
    }

    @Test
    void globalMount_notDesired_isUnmountedAndDetached() {
        VolumeManagerFixture fixture = new VolumeManagerFixture(block());
        fixture.kernel.ready.add("pv");
        fixture.kernel.devices.add("pv");
        ObservedMachine machine = machine("", List.of(), Map.of("/dev/loop7", Path.of("/base/pv.img")), SHARED);
        new Recovery(context, fixture.world(), machine, NOW).decide().forEach(fixture.controllers()::commit);

        fixture.settle();

        assertThat(fixture.kernel.done()).containsExactly("unmountDevice pv", "detach pv");
        fixture.assertNothingIsLeft();
    }

    @Test
    void globalMount_unknownVolumeOrOtherPlugin_getsNoEntry() {
        for (String volumes : List.of("", local(), claim("nfs: {server: nas, path: /x}", "ReadWriteOnce"))) {
            World world = world(volumes);

            assertThat(recovered(world, machine("", List.of(), Map.of(), SHARED)))
                    .isSameAs(world);
        }
    }

    @Test
    void globalMount_inLog_isUnchanged() {
        World world = world(block()
                + actualVolume("{state: Mounted, attachment: Attached, devicePath: /dev/loop7,"
                        + " deviceMount: Mounted, deviceMountPath: " + SHARED + "}"));
        ObservedMachine machine = machine(
                "2 1 7:0 / " + SHARED + " rw - ext4 /dev/loop7 rw\n",
                List.of(),
                Map.of("/dev/loop7", Path.of("/base/pv.img")),
                SHARED);

        assertThat(recovered(world, machine)).isSameAs(world);
    }

    @Test
    void deviceMount_notInLog_isUncertain() {
        World world = world(block() + actualVolume("{state: Attached, attachment: Attached, devicePath: /dev/loop7}"));

        ActualVolume found = actual(
                        recovered(world, machine("", List.of(), Map.of("/dev/loop7", Path.of("/base/pv.img")), SHARED)))
                .get(0);

        assertThat(found.deviceMount()).isEqualTo(ActualVolume.UNCERTAIN);
        assertThat(found.attachment()).isEqualTo(ActualVolume.ATTACHED);
    }

    @Test
    void device_backedByOtherImage_isUncertainWithItsMount() {
        World world = world(block()
                + actualVolume("{state: Mounted, attachment: Attached, devicePath: /dev/loop7, deviceMount: Mounted}"));

        ActualVolume found = actual(
                        recovered(world, machine("", List.of(), Map.of("/dev/loop7", Path.of("/base/another.img")))))
                .get(0);

        assertThat(found.attachment()).isEqualTo(ActualVolume.UNCERTAIN);
        assertThat(found.deviceMount()).isEqualTo(ActualVolume.UNCERTAIN);
    }

    @Test
    void localDisk_neverAttached_isUnchanged() {
        World world = world("""
            ---
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: disk},
             spec: {node: n1, volume: kubernetes.io/local-volume/disk, plugin: kubernetes.io/local-volume, persistentVolume: disk},
             status: {state: Mounted, deviceMount: Mounted, devicePath: /dev/sdb1, deviceMountPath: /disk}}
            """);

        assertThat(recovered(world, machine("", List.of(), Map.of()))).isSameAs(world);
    }

    @Test
    void loopDevice_notAttachedInLog_isUncertain() {
        World world = world(block() + actualVolume("{state: Failed, lastError: {operation: volume_attach}}"));

        ActualVolume found = actual(
                        recovered(world, machine("", List.of(), Map.of("/dev/loop7", Path.of("/base/pv.img")))))
                .get(0);

        assertThat(found.attachment()).isEqualTo(ActualVolume.UNCERTAIN);
        assertThat(found.devicePath()).isEqualTo("/dev/loop7");
    }

    @Test
    void volumeOfOtherNode_isUnchanged() {
        World world = world(actualVolume("{state: Mounted, attachment: Attached, devicePath: /dev/loop7}")
                .replace("node: n1", "node: n2"));

        assertThat(recovered(world, machine("", List.of(), Map.of()))).isSameAs(world);
    }

    @Test
    void podVolume_notInLog_refersToItsPersistentVolume() {
        World world = world(claim("nfs: {server: nas, path: /x}", "ReadWriteOnce"));
        ObservedMachine.FoundVolume found = new ObservedMachine.FoundVolume(
                "gone", "kubernetes.io/nfs", "pv", LAYOUT.volume("gone", "kubernetes.io/nfs", "pv"));

        ActualVolume reconstructed =
                actual(recovered(world, machine("", List.of(found), Map.of()))).get(0);

        assertThat(reconstructed.persistentVolume()).isEqualTo("pv");
        assertThat(reconstructed.volume()).isEqualTo("kubernetes.io/nfs/gone-pv");
        assertThat(reconstructed.source().path("nfs").path("server").asText()).isEqualTo("nas");
        assertThat(reconstructed.mountFor("gone").orElseThrow().state()).isEqualTo(ActualVolume.UNCERTAIN);
    }

    @Test
    void startupRecovery_scansOnceAndReportsAfterRecording() throws Exception {
        List<ObservedMachine> reported = new ArrayList<>();
        int[] scans = {0};
        ObservedMachine machine = machine("", List.of(), Map.of(), SHARED);
        World[] world = {world(block())};
        StartupRecovery recovery = new StartupRecovery(
                context,
                () -> () -> {
                    scans[0]++;
                    return machine;
                },
                port(world),
                Clock.fixed(NOW, ZoneOffset.UTC),
                observed -> {
                    assertThat(actual(world[0])).hasSize(1);
                    reported.add(observed);
                });

        recovery.recover();
        recovery.recover();

        assertThat(reported).containsExactly(machine);
        assertThat(scans[0]).isEqualTo(1);
    }

    private static WorldPort port(World[] world) {
        return new WorldPort() {
            @Override
            public World world() {
                return world[0];
            }

            @Override
            public CompletionStage<Outcome> propose(Proposal proposal) {
                Outcome committed = new Outcome.Committed(WorldFixture.event(world[0], proposal));
                world[0] = WorldFixture.after(world[0], proposal);
                return CompletableFuture.completedFuture(committed);
            }
        };
    }
}
