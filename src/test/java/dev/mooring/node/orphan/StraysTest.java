package dev.mooring.node.orphan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.Worlds;
import dev.mooring.node.WorldPort;
import dev.mooring.node.reconcile.Machine;
import dev.mooring.volume.path.MountTable;
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

/** What no object accounts for. */
final class StraysTest implements WorldPort {
    private static final Path SHARED = Path.of("/root/plugins/kubernetes.io/csi/mounts/pv");
    private static final String TABLE = "1 0 8:1 / / rw - ext4 /dev/root rw\n";

    private World world = Worlds.of("""
        {kind: Namespace, metadata: {name: default}}
        """);

    private final Strays strays = new Strays(
            "n1",
            List.of(Path.of("/base")),
            this,
            new NodeWarnings("n1", this, Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)));

    private int told;

    @Override
    public World world() {
        return world;
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        told++;
        world = Worlds.after(world, proposal);
        return new CompletableFuture<>();
    }

    private static Machine machine(String table, Map<String, Path> backing, Path... shared) {
        List<Machine.Shared> places = List.of(shared).stream()
                .map(each -> new Machine.Shared(
                        "kubernetes.io/csi", each.getFileName().toString(), each))
                .toList();
        return new Machine(MountTable.parse(TABLE + table), List.of(), places, backing);
    }

    private void put(String yaml) {
        Worlds.objects(yaml).forEach(each -> world = Worlds.put(world, each));
    }

    @Test
    void aMountForAllPodsOfAVolumeNobodyKnowsIsToldOnceAndLeft() {
        Machine machine = machine("2 1 7:0 / " + SHARED + " rw - ext4 /dev/loop7 rw\n", Map.of(), SHARED);

        strays.report(machine);
        strays.report(machine);

        assertThat(told).isEqualTo(1);
        assertThat(strays.find(world, machine))
                .containsExactly(new Strays.Stray(
                        SHARED.toString(),
                        "OrphanedVolumeMount",
                        "orphaned volume found: /dev/loop7 (ext4) is mounted at " + SHARED
                                + ", but there is no PersistentVolume \"pv\" to which it belongs. It was not unmounted"
                                + " and nothing was deleted: when nobody needs it, umount " + SHARED + " and rmdir "
                                + SHARED));
    }

    @Test
    void aDirectoryOnWhichNothingIsMountedIsToldToo() {
        assertThat(strays.find(world, machine("", Map.of(), SHARED)))
                .singleElement()
                .extracting(Strays.Stray::message)
                .asString()
                .contains("nothing is mounted at " + SHARED);
    }

    @Test
    void whatHasAnActualVolumeOfThisNodeIsNoStray() {
        put("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: a},
             spec: {node: n1, plugin: kubernetes.io/csi, persistentVolume: pv,
                    source: {csi: {volumeAttributes: {image: /base/pv.img}}}},
             status: {devicePath: /dev/loop3}}
            """);

        assertThat(strays.find(
                        world,
                        machine(
                                "",
                                Map.of("/dev/loop1", Path.of("/base/pv.img"), "/dev/loop3", Path.of("/base/x.img")),
                                SHARED)))
                .isEmpty();
    }

    @Test
    void anActualVolumeOfAnotherNodeOrPluginDoesNotAccountForIt() {
        put("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: a},
             spec: {node: n2, plugin: kubernetes.io/csi, persistentVolume: pv}}
            ---
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: b},
             spec: {node: n1, plugin: kubernetes.io/local-volume, persistentVolume: pv}}
            """);

        assertThat(strays.find(world, machine("", Map.of(), SHARED))).hasSize(1);
    }

    @Test
    void aLoopDeviceOnAnImageThatNoVolumeHasIsToldAndNotDetached() {
        put("""
            {kind: PersistentVolume, metadata: {name: known},
             spec: {csi: {driver: block.mooring.dev, volumeHandle: known, volumeAttributes: {image: /base/known.img}}}}
            """);
        Machine machine = machine(
                "",
                Map.of(
                        "/dev/loop0", Path.of("/somewhere/else.img"),
                        "/dev/loop1", Path.of("/base/known.img"),
                        "/dev/loop2", Path.of("/base/deleted.img"),
                        "/dev/loop3", Path.of("/base-of-others/x.img")));

        strays.report(machine);
        strays.report(machine);

        assertThat(told).isEqualTo(1);
        assertThat(strays.find(world, machine))
                .containsExactly(new Strays.Stray(
                        "/dev/loop2",
                        "OrphanedLoopDevice",
                        "orphaned volume found: /dev/loop2 is attached to /base/deleted.img, but no PersistentVolume"
                                + " has that image. It was not detached: when nobody needs it, losetup -d /dev/loop2"));
    }
}
