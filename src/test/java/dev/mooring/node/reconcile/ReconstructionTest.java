package dev.mooring.node.reconcile;

import static dev.mooring.node.reconcile.VolumeBench.LAYOUT;
import static dev.mooring.node.reconcile.VolumeBench.NODE;
import static dev.mooring.node.reconcile.VolumeBench.block;
import static dev.mooring.node.reconcile.VolumeBench.claim;
import static dev.mooring.node.reconcile.VolumeBench.local;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.Worlds;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.path.MountTable;
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

/** What Recovery writes down, given a log and a machine. */
final class ReconstructionTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String CSI = "kubernetes.io/csi";
    private static final Path SHARED = LAYOUT.shared(CSI, "pv");
    private static final String ROOT = "1 0 8:1 / / rw - ext4 /dev/root rw\n";

    private final NodeParts parts =
            new NodeParts(NODE, LAYOUT, new FakeVolumes().plugins(), unused -> false, BeforeUnmount.NOTHING);

    private static Machine machine(
            String table, List<Machine.Found> volumes, Map<String, Path> backing, Path... shared) {
        List<Machine.Shared> places = List.of(shared).stream()
                .map(each -> new Machine.Shared(CSI, each.getFileName().toString(), each))
                .toList();
        return new Machine(MountTable.parse(ROOT + table), volumes, places, backing);
    }

    /** Until there is nothing more to be decided. */
    private World recovered(World world, Machine machine) {
        World now = world;
        for (int round = 0; round < 5; round++) {
            List<Proposal> proposals = new Recovery(parts, now, machine, NOW).decide();
            if (proposals.isEmpty()) {
                return now;
            }
            now = Worlds.after(now, proposals.get(0));
        }
        throw new AssertionError("Recovery goes in circles");
    }

    private static List<ActualVolume> actual(World world) {
        List<ActualVolume> found = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource(StorageNames.ACTUAL_VOLUMES))) {
            found.add(ActualVolume.of(each));
        }
        return found;
    }

    private static World world(String yaml) {
        return Worlds.of("{kind: Namespace, metadata: {name: ns}}\n" + yaml);
    }

    private static String known(String status) {
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
    void aMountForAllPodsThatTheLogDoesNotKnowIsUncertain() {
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
    void itIsTakenAwayWhenNobodyWantsIt() {
        VolumeBench bench = new VolumeBench(block());
        bench.kernel.ready.add("pv");
        bench.kernel.devices.add("pv");
        Machine machine = machine("", List.of(), Map.of("/dev/loop7", Path.of("/base/pv.img")), SHARED);
        new Recovery(parts, bench.world(), machine, NOW).decide().forEach(bench.controllers()::happen);

        bench.settle();

        assertThat(bench.kernel.done()).containsExactly("unmountDevice pv", "detach pv");
        bench.nothingIsLeft();
    }

    @Test
    void oneOfAVolumeThatNobodyKnowsOrThatIsOfAnotherKindGetsNoEntry() {
        for (String volumes : List.of("", local(), claim("nfs: {server: nas, path: /x}", "ReadWriteOnce"))) {
            World world = world(volumes);

            assertThat(recovered(world, machine("", List.of(), Map.of(), SHARED)))
                    .isSameAs(world);
        }
    }

    @Test
    void oneThatIsKnownStaysAsItIs() {
        World world = world(block()
                + known("{state: Mounted, attachment: Attached, devicePath: /dev/loop7,"
                        + " deviceMount: Mounted, deviceMountPath: " + SHARED + "}"));
        Machine machine = machine(
                "2 1 7:0 / " + SHARED + " rw - ext4 /dev/loop7 rw\n",
                List.of(),
                Map.of("/dev/loop7", Path.of("/base/pv.img")),
                SHARED);

        assertThat(recovered(world, machine)).isSameAs(world);
    }

    @Test
    void ofAKnownVolumeWhatIsMountedAgainstTheLogIsUncertain() {
        World world = world(block() + known("{state: Attached, attachment: Attached, devicePath: /dev/loop7}"));

        ActualVolume found = actual(
                        recovered(world, machine("", List.of(), Map.of("/dev/loop7", Path.of("/base/pv.img")), SHARED)))
                .get(0);

        assertThat(found.deviceMount()).isEqualTo(ActualVolume.UNCERTAIN);
        assertThat(found.attachment()).isEqualTo(ActualVolume.ATTACHED);
    }

    @Test
    void aDeviceWhoseNumberHasBecomeAnothersIsUncertainAndSoIsWhatIsMountedOfIt() {
        World world = world(block()
                + known("{state: Mounted, attachment: Attached, devicePath: /dev/loop7," + " deviceMount: Mounted}"));

        ActualVolume found = actual(
                        recovered(world, machine("", List.of(), Map.of("/dev/loop7", Path.of("/base/another.img")))))
                .get(0);

        assertThat(found.attachment()).isEqualTo(ActualVolume.UNCERTAIN);
        assertThat(found.deviceMount()).isEqualTo(ActualVolume.UNCERTAIN);
    }

    @Test
    void aDiskThatIsNeverAttachedIsNotTakenForOneThatIs() {
        World world = world("""
            ---
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: disk},
             spec: {node: n1, volume: kubernetes.io/local-volume/disk, plugin: kubernetes.io/local-volume, persistentVolume: disk},
             status: {state: Mounted, deviceMount: Mounted, devicePath: /dev/sdb1, deviceMountPath: /disk}}
            """);

        assertThat(recovered(world, machine("", List.of(), Map.of()))).isSameAs(world);
    }

    @Test
    void aLoopDeviceOfAKnownVolumeThatIsNotAttachedAccordingToTheLogIsUncertain() {
        World world = world(block() + known("{state: Failed, lastError: {operation: volume_attach}}"));

        ActualVolume found = actual(
                        recovered(world, machine("", List.of(), Map.of("/dev/loop7", Path.of("/base/pv.img")))))
                .get(0);

        assertThat(found.attachment()).isEqualTo(ActualVolume.UNCERTAIN);
        assertThat(found.devicePath()).isEqualTo("/dev/loop7");
    }

    @Test
    void anotherNodesVolumesAreNotDoubted() {
        World world = world(known("{state: Mounted, attachment: Attached, devicePath: /dev/loop7}")
                .replace("node: n1", "node: n2"));

        assertThat(recovered(world, machine("", List.of(), Map.of()))).isSameAs(world);
    }

    @Test
    void aVolumeOfAPodIsKnownByItsPersistentVolumeSoThatOthersWaitForIt() {
        World world = world(claim("nfs: {server: nas, path: /x}", "ReadWriteOnce"));
        Machine.Found found =
                new Machine.Found("gone", "kubernetes.io/nfs", "pv", LAYOUT.volume("gone", "kubernetes.io/nfs", "pv"));

        ActualVolume made =
                actual(recovered(world, machine("", List.of(found), Map.of()))).get(0);

        assertThat(made.persistentVolume()).isEqualTo("pv");
        assertThat(made.volume()).isEqualTo("kubernetes.io/nfs/gone-pv");
        assertThat(made.source().path("nfs").path("server").asText()).isEqualTo("nas");
        assertThat(made.mountFor("gone").orElseThrow().state()).isEqualTo(ActualVolume.UNCERTAIN);
    }

    @Test
    void theGateLooksOnceWritesEverythingDownAndThenTellsWhatItSaw() throws Exception {
        List<Machine> told = new ArrayList<>();
        int[] looks = {0};
        Machine machine = machine("", List.of(), Map.of(), SHARED);
        World[] world = {world(block())};
        RecoveryGate gate = new RecoveryGate(
                parts,
                () -> () -> {
                    looks[0]++;
                    return machine;
                },
                port(world),
                Clock.fixed(NOW, ZoneOffset.UTC),
                seen -> {
                    assertThat(actual(world[0])).hasSize(1);
                    told.add(seen);
                });

        gate.recover();
        gate.recover();

        assertThat(told).containsExactly(machine);
        assertThat(looks[0]).isEqualTo(1);
    }

    private static WorldPort port(World[] world) {
        return new WorldPort() {
            @Override
            public World world() {
                return world[0];
            }

            @Override
            public CompletionStage<Outcome> propose(Proposal proposal) {
                Outcome committed = new Outcome.Committed(Worlds.event(world[0], proposal));
                world[0] = Worlds.after(world[0], proposal);
                return CompletableFuture.completedFuture(committed);
            }
        };
    }
}
