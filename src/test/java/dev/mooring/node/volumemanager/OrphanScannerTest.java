package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.host.MountTable;
import dev.mooring.node.WorldPort;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests the detection of mounts and loop devices that no object refers to. */
final class OrphanScannerTest implements WorldPort {
    private static final Path SHARED = Path.of("/root/plugins/kubernetes.io/csi/mounts/pv");
    private static final String TABLE = "1 0 8:1 / / rw - ext4 /dev/root rw\n";

    private World world = WorldFixture.of("""
        {kind: Namespace, metadata: {name: default}}
        """);

    private final OrphanScanner scanner = new OrphanScanner(
            "n1",
            List.of(Path.of("/base")),
            this,
            new NodeWarnings("n1", this, Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)));

    private int recordedEvents;

    @Override
    public World world() {
        return world;
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        recordedEvents++;
        world = WorldFixture.after(world, proposal);
        return new CompletableFuture<>();
    }

    private static ObservedMachine machine(String table, Map<String, Path> backing, Path... shared) {
        List<ObservedMachine.FoundGlobalMount> places = List.of(shared).stream()
                .map(each -> new ObservedMachine.FoundGlobalMount(
                        "kubernetes.io/csi", each.getFileName().toString(), each))
                .toList();
        return new ObservedMachine(MountTable.parse(TABLE + table), List.of(), places, backing);
    }

    private void put(String yaml) {
        WorldFixture.objects(yaml).forEach(each -> world = WorldFixture.put(world, each));
    }

    @Test
    void scanner_globalMountOfUnknownVolume_isReportedOnceAndKept() {
        ObservedMachine machine = machine("2 1 7:0 / " + SHARED + " rw - ext4 /dev/loop7 rw\n", Map.of(), SHARED);

        scanner.report(machine);
        scanner.report(machine);

        assertThat(recordedEvents).isEqualTo(1);
        assertThat(scanner.find(world, machine))
                .containsExactly(new OrphanScanner.Orphan(
                        SHARED.toString(),
                        "OrphanedVolumeMount",
                        "orphaned volume found: /dev/loop7 (ext4) is mounted at " + SHARED
                                + ", but there is no PersistentVolume \"pv\" to which it belongs. It was not unmounted"
                                + " and nothing was deleted: if it is not needed, umount " + SHARED + " and rmdir "
                                + SHARED));
    }

    @Test
    void scanner_unmountedGlobalMountDirectory_isReported() {
        assertThat(scanner.find(world, machine("", Map.of(), SHARED)))
                .singleElement()
                .extracting(OrphanScanner.Orphan::message)
                .asString()
                .contains("nothing is mounted at " + SHARED);
    }

    @Test
    void scanner_actualVolumeOfNode_isNoOrphan() {
        put("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: a},
             spec: {node: n1, plugin: kubernetes.io/csi, persistentVolume: pv,
                    source: {csi: {volumeAttributes: {image: /base/pv.img}}}},
             status: {devicePath: /dev/loop3}}
            """);

        assertThat(scanner.find(
                        world,
                        machine(
                                "",
                                Map.of("/dev/loop1", Path.of("/base/pv.img"), "/dev/loop3", Path.of("/base/x.img")),
                                SHARED)))
                .isEmpty();
    }

    @Test
    void scanner_actualVolumeOfOtherNodeOrPlugin_isReported() {
        put("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: a},
             spec: {node: n2, plugin: kubernetes.io/csi, persistentVolume: pv}}
            ---
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: b},
             spec: {node: n1, plugin: kubernetes.io/local-volume, persistentVolume: pv}}
            """);

        assertThat(scanner.find(world, machine("", Map.of(), SHARED))).hasSize(1);
    }

    @Test
    void scanner_loopDeviceOfUnknownImage_isReportedOnceAndKept() {
        put("""
            {kind: PersistentVolume, metadata: {name: known},
             spec: {csi: {driver: block.mooring.dev, volumeHandle: known, volumeAttributes: {image: /base/known.img}}}}
            """);
        ObservedMachine machine = machine(
                "",
                Map.of(
                        "/dev/loop0", Path.of("/somewhere/else.img"),
                        "/dev/loop1", Path.of("/base/known.img"),
                        "/dev/loop2", Path.of("/base/deleted.img"),
                        "/dev/loop3", Path.of("/base-of-others/x.img")));

        scanner.report(machine);
        scanner.report(machine);

        assertThat(recordedEvents).isEqualTo(1);
        assertThat(scanner.find(world, machine))
                .containsExactly(new OrphanScanner.Orphan(
                        "/dev/loop2",
                        "OrphanedLoopDevice",
                        "orphaned volume found: /dev/loop2 is attached to /base/deleted.img, but no PersistentVolume"
                                + " has that image. It was not detached: if it is not needed, losetup -d /dev/loop2"));
    }
}
