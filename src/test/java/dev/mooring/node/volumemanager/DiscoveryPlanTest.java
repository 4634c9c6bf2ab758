package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the changes that a scan of the disks causes in the World. */
class DiscoveryPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.9Z");
    private static final Path DISKS = Path.of("/mnt/disks");
    private static final DiscoveryDirectory KEPT = new DiscoveryDirectory(DISKS, "local", false, false);
    private static final DiscoveryDirectory WIPED = new DiscoveryDirectory(DISKS, "local", true, true);
    private static final String DEFAULT = "---\n{kind: Namespace, metadata: {name: default}}\n";
    private static final String PV = "persistentvolumes/" + LocalPersistentVolume.name("n1", DISKS.resolve("a"));

    private static DiscoveredEntry found(String name, DiscoveredEntry.EntryType type) {
        return new DiscoveredEntry(DISKS.resolve(name), KEPT, type, 10L << 30);
    }

    private static ScanResult scan(DiscoveredEntry... found) {
        return new ScanResult(List.of(found), Set.of(DISKS), Set.of(), List.of());
    }

    private static DiscoveryPlan plan(ScanResult scan, World world) {
        return DiscoveryPlan.of(scan, world, "n1", NOW);
    }

    private static World after(World world, DiscoveryPlan plan) {
        World next = world;
        for (Proposal each : plan.proposals()) {
            assertThat(each.actor()).isEqualTo("node/n1");
            next = WorldFixture.after(next, each);
        }
        return next;
    }

    /** Returns a World with the volume for /mnt/disks/a. */
    private static World worldWithVolume(DiscoveredEntry.EntryType type) {
        World world = WorldFixture.of(DEFAULT);
        return after(world, plan(scan(found("a", type)), world));
    }

    private static World with(World world, Consumer<ObjectNode> change) {
        ObjectNode volume = WorldFixture.tree(world, PV);
        change.accept(volume);
        return WorldFixture.put(world, volume);
    }

    private static String recordedEvents(World world) {
        StringBuilder text = new StringBuilder();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            JsonNode event = WorldFixture.tree(world, each.key().text());
            text.append(event.path("type").asText())
                    .append(' ')
                    .append(event.path("reason").asText());
            text.append(": ").append(event.path("message").asText()).append('\n');
        }
        return text.toString();
    }

    @Test
    void plan_newMountPoint_createsPersistentVolume() {
        World world = WorldFixture.of(
                DEFAULT + "---\n{kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: host1}}}\n");
        DiscoveredEntry disk =
                new DiscoveredEntry(DISKS.resolve("a"), WIPED, DiscoveredEntry.EntryType.MOUNTED, 10L << 30);
        DiscoveryPlan plan = plan(scan(disk), world);
        assertThat(plan.proposals()).extracting(Proposal::type).containsExactly("VolumeDiscovered");
        ObjectNode volume = WorldFixture.tree(after(world, plan), PV);
        String uid = volume.path("metadata").path("uid").asText();
        assertThat(uid).hasSize(36);
        ((ObjectNode) volume.get("metadata")).remove("resourceVersion");
        assertThat(volume)
                .isEqualTo(WorldFixture.objects("""
                    kind: PersistentVolume
                    apiVersion: v1
                    metadata:
                      name: local-pv-%s
                      uid: %s
                      creationTimestamp: '2026-01-01T00:00:00Z'
                      labels: {kubernetes.io/hostname: host1}
                      annotations: {mooring.dev/discovered-by: n1}
                      finalizers: [kubernetes.io/pv-protection]
                    spec:
                      capacity: {storage: 10Gi}
                      local: {path: /mnt/disks/a}
                      accessModes: [ReadWriteOnce]
                      persistentVolumeReclaimPolicy: Delete
                      storageClassName: local
                      volumeMode: Filesystem
                      nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [
                        {key: kubernetes.io/hostname, operator: In, values: [host1]}]}]}}
                    status: {phase: Pending, lastPhaseTransitionTime: '2026-01-01T00:00:00Z'}
                    """.formatted(PV.substring(PV.length() - 8), uid))
                        .get(0));
    }

    @ParameterizedTest
    @CsvSource({"PLAIN, Filesystem, true", "MOUNTED, Filesystem, false", "DEVICE, Block, false"})
    void plan_entryType_setsVolumeModeAndSizeAnnotation(
            DiscoveredEntry.EntryType type, String mode, boolean annotated) {
        ObjectNode volume = WorldFixture.tree(worldWithVolume(type), PV);
        assertThat(volume.path("spec").path("volumeMode").asText()).isEqualTo(mode);
        assertThat(volume.path("spec").path("persistentVolumeReclaimPolicy").asText())
                .isEqualTo("Retain");
        assertThat(volume.path("metadata").path("annotations").has(LocalPersistentVolume.SIZE_NOT_ENFORCED))
                .isEqualTo(annotated);
    }

    @Test
    void plan_deviceInWipedDirectory_hasReclaimPolicyRetain() {
        DiscoveredEntry device = new DiscoveredEntry(DISKS.resolve("a"), WIPED, DiscoveredEntry.EntryType.DEVICE, 1);
        World world = WorldFixture.of(DEFAULT);
        ObjectNode volume = WorldFixture.tree(after(world, plan(scan(device), world)), PV);
        assertThat(volume.path("spec").path("persistentVolumeReclaimPolicy").asText())
                .isEqualTo("Retain");
    }

    @Test
    void plan_isDeterministicAndIdempotent() {
        World world = WorldFixture.of(DEFAULT);
        ScanResult scan = scan(
                found("a", DiscoveredEntry.EntryType.PLAIN),
                found("b", DiscoveredEntry.EntryType.DEVICE),
                found("a", DiscoveredEntry.EntryType.PLAIN));
        DiscoveryPlan plan = plan(scan, world);
        assertThat(plan.proposals()).hasSize(2);
        assertThat(after(world, plan)).isEqualTo(after(world, plan(scan, world)));
        assertThat(plan(scan, after(world, plan)).proposals()).isEmpty();
    }

    @Test
    void plan_entryReturnsAfterRemoval_createsVolumeWithNewUid() {
        World first = worldWithVolume(DiscoveredEntry.EntryType.PLAIN);
        World removed = WorldFixture.after(
                first,
                Proposal.by("t", "Removed")
                        .remove(first.get(ObjectKey.parse(PV)).orElseThrow())
                        .build());
        World again = after(removed, plan(scan(found("a", DiscoveredEntry.EntryType.PLAIN)), removed));
        assertThat(WorldFixture.tree(again, PV).path("metadata").path("uid"))
                .isNotEqualTo(WorldFixture.tree(first, PV).path("metadata").path("uid"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{local: {path: /mnt/disks/a/}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                        + " kubernetes.io/hostname, operator: In, values: [n1]}]}]}}}",
                "{hostPath: {path: /mnt/disks/a}}"
            })
    void plan_pathUsedByOtherVolume_reportsProblem(String spec) {
        World world = WorldFixture.of("{kind: PersistentVolume, metadata: {name: mine}, spec: " + spec + "}");
        DiscoveryPlan plan = plan(scan(found("a", DiscoveredEntry.EntryType.PLAIN)), world);
        assertThat(plan.proposals()).isEmpty();
        assertThat(plan.problems().toString()).contains("/mnt/disks/a", "is already used by volume mine");
    }

    @Test
    void plan_samePathOnOtherNode_createsVolume() {
        World world = WorldFixture.of("{kind: PersistentVolume, metadata: {name: theirs}, spec: {local: {path:"
                + " /mnt/disks/a}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                + " kubernetes.io/hostname, operator: In, values: [n2]}]}]}}}}");
        assertThat(plan(scan(found("a", DiscoveredEntry.EntryType.PLAIN)), world)
                        .proposals())
                .hasSize(1);
        World discovered = DiscoveryPlan.of(
                        scan(found("a", DiscoveredEntry.EntryType.PLAIN)), WorldFixture.of(DEFAULT), "n2", NOW)
                .proposals()
                .stream()
                .reduce(WorldFixture.of(DEFAULT), WorldFixture::after, (a, b) -> b);
        DiscoveryPlan ours = plan(scan(found("a", DiscoveredEntry.EntryType.PLAIN)), discovered);
        assertThat(ours.proposals()).hasSize(1);
        assertThat(plan(scan(), after(discovered, ours))
                        .proposals()
                        .get(0)
                        .writes()
                        .get(0)
                        .key()
                        .text())
                .isEqualTo(PV);
    }

    @Test
    void plan_volumeNameInUse_reportsProblem() {
        World world = WorldFixture.of(
                "{kind: PersistentVolume, metadata: {name: " + PV.substring(PV.indexOf('/') + 1) + "}, spec: {}}");
        DiscoveryPlan plan = plan(scan(found("a", DiscoveredEntry.EntryType.PLAIN)), world);
        assertThat(plan.proposals()).isEmpty();
        assertThat(plan.problems()).hasSize(1);
    }

    @Test
    void plan_unclaimedEntryRemoved_deletesVolume() {
        World world = worldWithVolume(DiscoveredEntry.EntryType.MOUNTED);
        DiscoveryPlan plan = plan(scan(), world);
        World next = after(world, plan);
        assertThat(plan.proposals())
                .extracting(Proposal::type)
                .containsExactly("PersistentVolumeDeletionRequested", "EventRecorded");
        assertThat(WorldFixture.tree(next, PV).path("metadata").has("deletionTimestamp"))
                .isTrue();
        assertThat(recordedEvents(next))
                .isEqualTo("Normal LocalVolumeRemoved: /mnt/disks/a is gone on node n1; the volume was not claimed,"
                        + " so it is removed\n");
        assertThat(plan(scan(), next).proposals()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bound", "Released", "Failed", "Available"})
    void plan_claimedEntryRemoved_keepsVolumeWithWarning(String phase) {
        World world = with(worldWithVolume(DiscoveredEntry.EntryType.MOUNTED), volume -> {
            volume.withObject("/status").put("phase", phase);
            volume.withObject("/spec")
                    .putObject("claimRef")
                    .put("namespace", "n")
                    .put("name", "c")
                    .put("uid", "u");
        });
        World next = after(world, plan(scan(), world));
        assertThat(WorldFixture.tree(next, PV)).isEqualTo(WorldFixture.tree(world, PV));
        assertThat(recordedEvents(next))
                .isEqualTo(
                        "Warning LocalVolumeGone: /mnt/disks/a is gone on node n1; the volume belongs to claim n/c, so"
                                + " it is kept. Restore it, or delete the volume.\n");
        assertThat(plan(scan(), next).proposals()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "MOUNTED, PLAIN, nothing is mounted on /mnt/disks/a any more",
        "PLAIN, MOUNTED, something else is mounted on /mnt/disks/a",
        "PLAIN, DEVICE, /mnt/disks/a is a device now"
    })
    void plan_entryChangedType_deletesVolume(
            DiscoveredEntry.EntryType before, DiscoveredEntry.EntryType now, String message) {
        World world = worldWithVolume(before);
        World next = after(world, plan(scan(found("a", now)), world));
        assertThat(WorldFixture.tree(next, PV).path("metadata").has("deletionTimestamp"))
                .isTrue();
        assertThat(recordedEvents(next)).contains(message);
    }

    @Test
    void plan_unreadableDirectory_keepsVolume() {
        World world = worldWithVolume(DiscoveredEntry.EntryType.MOUNTED);
        ScanResult notScanned = new ScanResult(List.of(), Set.of(), Set.of(), List.of());
        ScanResult unreadable = new ScanResult(List.of(), Set.of(DISKS), Set.of(DISKS.resolve("a")), List.of());
        ScanResult elsewhere = new ScanResult(List.of(), Set.of(Path.of("/other")), Set.of(), List.of());
        for (ScanResult each : List.of(notScanned, unreadable, elsewhere)) {
            assertThat(plan(each, world).proposals()).isEmpty();
        }
    }

    @Test
    void discoveryDirectory_invalidPathOrEmptyClass_isRejected() {
        for (String path : List.of("relative", "/a/../b", "/")) {
            assertThatThrownBy(() -> new DiscoveryDirectory(Path.of(path), "local", false, false))
                    .hasMessageContaining("must be absolute");
        }
        assertThatThrownBy(() -> new DiscoveryDirectory(DISKS, "", false, false))
                .hasMessageContaining("storage class");
    }
}
