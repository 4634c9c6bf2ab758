package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.ExpandFixture.BLOCK;
import static dev.mooring.control.persistentvolume.ExpandFixture.CLAIM;
import static dev.mooring.control.persistentvolume.ExpandFixture.OPERATION;
import static dev.mooring.control.persistentvolume.ExpandFixture.VOLUME;
import static dev.mooring.control.persistentvolume.ExpandFixture.assertSettled;
import static dev.mooring.control.persistentvolume.ExpandFixture.capacities;
import static dev.mooring.control.persistentvolume.ExpandFixture.claim;
import static dev.mooring.control.persistentvolume.ExpandFixture.conditions;
import static dev.mooring.control.persistentvolume.ExpandFixture.events;
import static dev.mooring.control.persistentvolume.ExpandFixture.reportStatus;
import static dev.mooring.control.persistentvolume.ExpandFixture.request;
import static dev.mooring.control.persistentvolume.ExpandFixture.state;
import static dev.mooring.control.persistentvolume.ExpandFixture.status;
import static dev.mooring.control.persistentvolume.ExpandFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The claims and volumes that the ExpandController expands, and those that it ignores. */
class ExpandScopeTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        hostPath: {path: /a}            | mooring.dev/hostpath
        local: {path: /a}               | mooring.dev/local
        nfs: {server: nas, path: /a}    | mooring.dev/nfs
        """)
    void volume_sizeNotEnforced_getsNewCapacityWithoutOperation(String source, String provisioner) {
        ControllerFixture world = with("""
            kind: PersistentVolume
            metadata: {name: v, annotations: {pv.kubernetes.io/provisioned-by: PROVISIONER}}
            spec: {capacity: {storage: 1Gi}, SOURCE, claimRef: {namespace: team, name: data, uid: uid-data}}
            """.replace("PROVISIONER", provisioner).replace("SOURCE", source), claim("5Gi"))
                .settle();

        assertThat(world.takeEvents()).hasSize(2).first().isEqualTo("VolumeExpanded " + CLAIM);
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
        assertThat(status(world).path("allocatedResources")).hasToString("{\"storage\":\"5Gi\"}");
        assertThat(status(world).has("allocatedResourceStatuses")).isFalse();
        assertThat(events(world))
                .containsExactly(
                        "Normal VolumeResizeSuccessful ExpandVolume succeeded for volume team/data. The size of"
                                + " a " + source.substring(0, source.indexOf(':'))
                                + " volume is not enforced: 5Gi is neither a limit nor a guarantee");
        assertSettled(world);
    }

    private static final String MANUAL_VOLUME = """
        kind: PersistentVolume
        metadata: {name: v}
        spec: {capacity: {storage: 1Gi}, SOURCE, claimRef: {namespace: team, name: data, uid: uid-data}}
        ---
        kind: StorageClass
        apiVersion: storage.k8s.io/v1
        metadata: {name: block}
        provisioner: PROVISIONER
        allowVolumeExpansion: ALLOWED
        """;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        hostPath: {path: /a}                         | mooring.dev/hostpath         | true  | 5Gi 5Gi
        nfs: {server: nas, path: /a}                 | mooring.dev/hostpath         | true  | 5Gi 5Gi
        hostPath: {path: /a}                         | mooring.dev/hostpath         | false | external
        hostPath: {path: /a}                         | vendor.example/none          | true  | external
        local: {path: /a}                            | kubernetes.io/no-provisioner | true  | external
        iscsi: {iqn: x}                              | mooring.dev/hostpath         | true  | external
        csi: {driver: disk.example, volumeHandle: h} | mooring.dev/hostpath         | true  | external
        csi: {driver: disk.example, volumeHandle: h} | disk.example                 | true  | external
        """)
    void volume_notOurs_isLeftToExternalController(String source, String provisioner, String allowed, String expected) {
        ControllerFixture world = with(
                        MANUAL_VOLUME
                                .replace("SOURCE", source)
                                .replace("PROVISIONER", provisioner)
                                .replace("ALLOWED", allowed),
                        claim("5Gi"))
                .settle();

        if (expected.equals("external")) {
            assertThat(events(world))
                    .containsExactly("Normal ExternalExpanding waiting for an external controller to expand this PVC");
            assertThat(capacities(world)).isEqualTo("1Gi 1Gi");
            assertThat(conditions(world)).isEmpty();
        } else {
            assertThat(capacities(world)).isEqualTo(expected);
        }
        assertSettled(world);
    }

    @Test
    void claim_classAllowsExpansionLater_isExpandedThen() {
        String world =
                MANUAL_VOLUME.replace("SOURCE", "hostPath: {path: /a}").replace("PROVISIONER", "mooring.dev/hostpath");
        ControllerFixture fixture =
                with(world.replace("ALLOWED", "false"), claim("5Gi")).settle();
        fixture.put(world.substring(world.indexOf("---") + 4).replace("ALLOWED", "true"))
                .settle();

        assertThat(capacities(fixture)).isEqualTo("5Gi 5Gi");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        uid: uid-data     | uid: other         | bound to another claim of the name
        uid: uid-data     | n: 1               | reserved without a uid
        volumeName: v     | volumeName: gone   | its volume does not exist
        volumeName: v     | volumeName: a/b c  | invalid volume name
        phase: Bound      | phase: Lost        | lost
        storage: 5Gi      | storage: 1Gi       | requests its capacity
        storage: 5Gi      | storage: 1024Mi    | requests its capacity in another unit
        storage: 5Gi      | storage: 10Mi      | requests less
        capacity: {storage: 1Gi}, unknown | unknown | has no capacity yet
        """)
    void claim_notExpandable_isIgnored(String part, String other, String description) {
        ControllerFixture world = with(
                        BLOCK.replace("uid: uid-data", part.startsWith("uid") ? other : "uid: uid-data"),
                        claim("5Gi").replace(part, other))
                .settle();

        assertThat(world.takeEvents()).as(description).isEmpty();
        assertThat(world.waiting()).isZero();
    }

    @Test
    void claim_volumeBecomesBoundToIt_isExpandedThen() {
        ControllerFixture world =
                with(BLOCK.replace("uid: uid-data", "uid: other"), claim("5Gi")).settle();
        assertThat(world.takeEvents()).isEmpty();
        world.put(BLOCK).settle();

        assertThat(world.keys()).contains(OPERATION);
    }

    @Test
    void claim_terminating_isNotExpanded() {
        String terminating = claim("5Gi")
                .replace(
                        "namespace: team,",
                        "namespace: team, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x],");
        ControllerFixture world = with(BLOCK, terminating).settle();

        assertThat(world.takeEvents()).isEmpty();
    }

    @Test
    void claim_noNodeMatchesVolumeAffinity_isReportedAndRetried() {
        ControllerFixture world =
                with(BLOCK.replace("host-2", "host-3"), claim("5Gi")).settle();
        assertThat(events(world))
                .containsExactly("Warning VolumeResizeFailed error expanding volume \"v\" of plugin"
                        + " \"mooring.dev/block\": no node has the volume: none matches its"
                        + " spec.nodeAffinity");
        world.put("{kind: Node, metadata: {name: n3, labels: {kubernetes.io/hostname: host-3}}}")
                .settle();
        assertThat(world.advanceUntilDue()).isTrue();

        assertThat(WorldFixture.tree(world.world(), OPERATION).at("/spec/node").asText())
                .isEqualTo("n3");
    }

    /**
     * patch pvc (request), patch pv (capacity), patch pvc status (NodeResizePending): the node has grown the file system
     * before the last change. Each order ends with the new size in the claim.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "request volume pending node",
                "request volume node pending",
                "volume node request pending",
                "volume node",
                "request pending node volume"
            })
    void volume_grownByUser_givesClaimItsSizeInAnyOrder(String order) {
        String volume = MANUAL_VOLUME
                .replace("SOURCE", "local: {path: /dev/loop9}")
                .replace("PROVISIONER", "kubernetes.io/no-provisioner")
                .replace("ALLOWED", "true");
        ControllerFixture world = with(volume, claim("1Gi")).settle();
        for (String change : order.split(" ", -1)) {
            switch (change) {
                case "request" -> request(world, "5Gi");
                case "volume" ->
                    world.put(volume.replace("storage: 1Gi", "storage: 5Gi")).settle();
                case "pending" -> {
                    ObjectNode claim = WorldFixture.tree(world.world(), CLAIM);
                    claim.withObject("/status/allocatedResourceStatuses").put("storage", "NodeResizePending");
                    world.put(claim.toString()).settle();
                }
                default -> ExpandControllerTest.mounted(world, "5Gi");
            }
        }

        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
        assertThat(state(world)).isEmpty();
        assertThat(status(world).at("/allocatedResources/storage").asText()).isEqualTo("5Gi");
        assertThat(events(world))
                .contains("Normal FileSystemResizeSuccessful MountVolume.NodeExpandVolume succeeded for volume \"v\"");
        assertSettled(world);
    }

    /** A user set the volume to 5Gi; the claim requests 1Gi and has it. The size of an image is the node's work. */
    @Test
    void volume_capacityRaisedByUser_isUsedForTheNextExpansion() {
        ControllerFixture world = with(BLOCK.replace("storage: 1Gi", "storage: 5Gi"), claim("1Gi"))
                .settle();
        assertThat(world.takeEvents()).isEmpty();

        request(world, "2Gi");
        assertThat(WorldFixture.tree(world.world(), OPERATION)
                        .at("/spec/capacity")
                        .asText())
                .isEqualTo("5Gi");
        reportStatus(world, "{state: Succeeded, capacity: 5Gi}");
        assertThat(capacities(world)).isEqualTo("5Gi 5Gi");
    }

    @ParameterizedTest
    @ValueSource(strings = {CLAIM, VOLUME})
    void operation_claimOrVolumeRemoved_isRemoved(String removed) {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        world.takeEvents();
        world.remove(removed).settle();

        assertThat(world.takeEvents()).containsExactly("VolumeOperationRemoved " + OPERATION);
    }

    @Test
    void operation_claimRemovedWhileRunning_isRemovedWhenDone() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        reportStatus(world, "{state: Running}");
        world.takeEvents();
        world.remove(CLAIM).settle();
        assertThat(world.takeEvents()).isEmpty();

        reportStatus(world, "{state: Succeeded}");
        assertThat(world.takeEvents()).containsExactly("VolumeOperationRemoved " + OPERATION);
        assertThat(WorldFixture.tree(world.world(), VOLUME)
                        .at("/spec/capacity/storage")
                        .asText())
                .isEqualTo("1Gi");
    }

    @Test
    void operation_ofFormerClaimOfTheSameName_isReplaced() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        world.remove(CLAIM);
        world.put(claim("7Gi").replace("name: data,", "name: data, uid: second,"));
        world.put(BLOCK.replace("uid: uid-data", "uid: second")).settle();

        assertThat(WorldFixture.tree(world.world(), OPERATION)
                        .at("/spec/claim/uid")
                        .asText())
                .isEqualTo("second");
        assertThat(WorldFixture.tree(world.world(), OPERATION)
                        .at("/spec/capacity")
                        .asText())
                .isEqualTo("7Gi");
    }

    @Test
    void operation_removedByUser_isRecreated() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        world.remove(OPERATION).settle();

        assertThat(world.keys()).contains(OPERATION);
    }

    @Test
    void controller_restartedAfterOperationSucceeded_completesExpansion() {
        ControllerFixture world = with(BLOCK, claim("5Gi")).settle();
        reportStatus(world, "{state: Running}");
        ObjectNode done = WorldFixture.tree(world.world(), OPERATION);
        done.withObject("/status").put("state", "Succeeded");

        ControllerFixture next =
                new ControllerFixture(new ExpandController(), WorldFixture.put(world.world(), done)).settle();

        assertThat(capacities(next)).isEqualTo("5Gi 5Gi");
    }
}
