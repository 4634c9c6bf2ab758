package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.ReclaimFixture.BY_CONTROLLER;
import static dev.mooring.control.persistentvolume.ReclaimFixture.DELETE;
import static dev.mooring.control.persistentvolume.ReclaimFixture.DELETED;
import static dev.mooring.control.persistentvolume.ReclaimFixture.HOST_PATH;
import static dev.mooring.control.persistentvolume.ReclaimFixture.KEY;
import static dev.mooring.control.persistentvolume.ReclaimFixture.N1;
import static dev.mooring.control.persistentvolume.ReclaimFixture.NAMESPACE;
import static dev.mooring.control.persistentvolume.ReclaimFixture.claim;
import static dev.mooring.control.persistentvolume.ReclaimFixture.mount;
import static dev.mooring.control.persistentvolume.ReclaimFixture.node;
import static dev.mooring.control.persistentvolume.ReclaimFixture.ours;
import static dev.mooring.control.persistentvolume.ReclaimFixture.policy;
import static dev.mooring.control.persistentvolume.ReclaimFixture.volume;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Section E of the cases, and cases that Kubernetes' tests do not have. */
class ReclaimDeleteTest {
    @ParameterizedTest(name = "8-1 from {0}")
    @ValueSource(strings = {"Released", "Failed"})
    void volume_releasedOrFailed_dataIsDeletedThenVolume(String phase) {
        ReclaimFixture fixture = ReclaimFixture.of(ours("", phase));
        ObjectNode operation = fixture.operation(DELETE).orElseThrow();
        assertThat(operation.path("spec").toString())
                .isEqualTo(
                        "{\"operation\":\"Delete\",\"node\":\"n1\",\"provisioner\":\"mooring.dev/hostpath\",\"persistentVolume\":\"pv1\","
                            + "\"persistentVolumeUID\":\"uid-pv1\",\"claim\":{\"namespace\":\"default\",\"name\":\"data\",\"uid\":\"u1\"},"
                            + "\"storageClassName\":\"fast\",\"source\":{\"hostPath\":{\"path\":\"/srv/v/pv1\",\"type\":\"Directory\"}},"
                            + "\"volumeMode\":\"Filesystem\",\"parameters\":{\"onDelete\":\"archive\"}}");
        assertThat(fixture.phase()).isEqualTo(phase);
        fixture.reportStatus(DELETE, "state: Running").assertSettled();
        assertThat(fixture.has(KEY)).isTrue();
        fixture.run().takeEvents();
        fixture.reportStatus(DELETE, "state: Succeeded");
        assertThat(fixture.run().takeEvents()).as("one event").containsExactly("VolumeDeleted " + KEY);
        assertThat(fixture.has(KEY)).isFalse();
        assertThat(fixture.has(DELETE)).isFalse();
        fixture.assertSettled();
    }

    @Test
    void volume_withForeignFinalizer_isMarkedForDeletionAfterItsData() {
        ReclaimFixture fixture = ReclaimFixture.of(
                ours("finalizers: [kubernetes.io/pv-protection, f.io/x, kubernetes.io/pv-controller],", "Released"));
        fixture.reportStatus(DELETE, "state: Succeeded");
        assertThat(fixture.volume().at("/metadata/finalizers").toString()).isEqualTo("[\"f.io/x\"]");
        assertThat(fixture.volume().at("/metadata/deletionTimestamp").asText()).isNotEmpty();
        assertThat(fixture.has(DELETE)).as("second operation").isFalse();
        fixture.assertSettled().assertForeignFieldsKept();
    }

    /** Seed 1886 of the simulation: the node ignores an operation for another claim, so the volume waited for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"", "state: Failed, attempts: 1, lastError: {message: Mock delete error}"})
    void volume_claimRefUidRemovedWhileDeleting_operationIsRecreated(String status) {
        ReclaimFixture fixture = ReclaimFixture.of(ours(DELETED, "Released"));
        assertThat(fixture.operation(DELETE).orElseThrow().at("/spec/claim/uid").asText())
                .isEqualTo("u1");
        if (!status.isEmpty()) {
            fixture.reportStatus(DELETE, status);
        }
        fixture.run().takeEvents();
        fixture.put(ours(DELETED, "Available").replace(", uid: u1", ""));
        assertThat(fixture.run().takeEvents())
                .containsExactly("VolumeOperationRemoved " + DELETE, "VolumeOperationCreated " + DELETE);
        assertThat(fixture.operation(DELETE).orElseThrow().at("/spec/claim").has("uid"))
                .isFalse();
        fixture.assertSettled();
        fixture.reportStatus(DELETE, "state: Succeeded");
        assertThat(fixture.has(KEY)).isFalse();
        assertThat(fixture.has(DELETE)).isFalse();
    }

    /** @param reserved the claim in claimRef: an admin may have reserved the volume for another claim than its last */
    @ParameterizedTest
    @ValueSource(strings = {"data", "other"})
    void terminatingVolume_namedByLostClaim_isKeptAndReported(String reserved) {
        String completed = claim("u1", "pv1")
                .replace("uid: u1", "uid: u1, annotations: {pv.kubernetes.io/bind-completed: 'yes'}")
                .replace("Bound", "Lost");
        ReclaimFixture fixture = ReclaimFixture.of(
                ours(DELETED, "Available").replace("name: data, uid: u1", "name: " + reserved), completed);
        assertThat(fixture.has(DELETE)).isFalse();
        assertThat(fixture.events())
                .containsExactly(
                        "Normal VolumeDelete: claim default/data still names the volume, so its data is kept until"
                                + " that claim is deleted; to bind it to the claim again, set spec.claimRef.uid of the"
                                + " volume to u1");
        fixture.assertSettled();
        fixture.remove("persistentvolumeclaims/default/data");
        assertThat(fixture.has(DELETE)).isTrue();
    }

    @ParameterizedTest(name = "8-3 {0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
        ''                                                       | hostPath: {path: /data}
        ''                                                       | nfs: {server: s, path: /p}
        pv.kubernetes.io/provisioned-by: kubernetes.io/gce-pd    | gcePersistentDisk: {pdName: x}
        pv.kubernetes.io/provisioned-by: mooring.dev/new         | hostPath: {path: /data}
        """)
    void volume_withoutDeleterPlugin_fails(String annotation, String source) {
        ReclaimFixture fixture = ReclaimFixture.of(volume(
                "", annotation.isEmpty() ? BY_CONTROLLER : annotation, policy("Delete") + ", " + source, "Released"));
        // The finalizer of a Mooring provisioner that this version does not know is added first.
        assertThat(fixture.phase()).isEqualTo("Failed");
        assertThat(fixture.message())
                .isEqualTo("error getting deleter volume plugin for volume \"pv1\": no volume plugin matched");
        assertThat(fixture.events()).hasSize(1);
        assertThat(fixture.events().get(0))
                .startsWith("Warning VolumeFailedDelete: error getting deleter volume plugin for volume \"pv1\"")
                .contains("delete the data by hand");
        fixture.assertSettled().assertForeignFieldsKept();
    }

    @Test
    void operation_fails_isReportedOncePerMessageUntilItSucceeds() {
        ReclaimFixture fixture = ReclaimFixture.of(ours("", "Released"));
        fixture.reportStatus(DELETE, "state: Failed, attempts: 1, lastError: {message: Mock delete error}");
        assertThat(fixture.phase()).isEqualTo("Failed");
        assertThat(fixture.message()).isEqualTo("Mock delete error");
        assertThat(fixture.events()).containsExactly("Warning VolumeFailedDelete: Mock delete error");
        fixture.run().takeEvents();
        fixture.reportStatus(DELETE, "state: Running, attempts: 1, lastError: {message: Mock delete error}")
                .reportStatus(DELETE, "state: Failed, attempts: 2, lastError: {message: Mock delete error}");
        assertThat(fixture.run().takeEvents())
                .as("events after the same failure")
                .isEmpty();
        fixture.reportStatus(DELETE, "state: Failed, attempts: 3, lastError: {message: Disk on fire}");
        assertThat(fixture.message()).isEqualTo("Disk on fire");
        fixture.assertSettled().assertForeignFieldsKept();
        fixture.reportStatus(DELETE, "state: Succeeded");
        assertThat(fixture.has(KEY)).isFalse();
    }

    @ParameterizedTest(name = "8-10 {0}")
    @CsvSource(delimiter = '|', textBlock = """
        pv.kubernetes.io/provisioned-by: external.io/test                                           | hostPath: {path: /x}
        x: y                                                                                        | csi: {driver: vendor.io, volumeHandle: h}
        'pv.kubernetes.io/migrated-to: pd.csi, pv.kubernetes.io/provisioned-by: kubernetes.io/gce-pd' | gcePersistentDisk: {pdName: x}
        """)
    void volume_ofExternalProvisioner_isIgnored(String annotations, String source) {
        ReclaimFixture fixture = ReclaimFixture.of(volume(
                "finalizers: [external-provisioner.volume.kubernetes.io/finalizer],",
                annotations.replace("'", ""),
                policy("Delete") + ", " + source,
                "Released"));
        assertThat(fixture.run().takeEvents()).isEmpty();
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(delimiter = '|', textBlock = """
        8-9  | u2 |       | yes
        8-9  | u2 | pv1   | yes
        8-12 | u1 | other | yes
        -    | u1 | pv1   | no
        -    | u1 |       | no
        """)
    void volume_claimExists_isDeletedOnlyIfClaimIsNotItsOwn(String id, String uid, String bound, String expected) {
        ReclaimFixture fixture = ReclaimFixture.of(ours("", "Released"), claim(uid, bound == null ? "" : bound));
        assertThat(fixture.has(DELETE)).isEqualTo(expected.equals("yes"));
        fixture.remove("persistentvolumeclaims/default/data");
        assertThat(fixture.has(DELETE))
                .as("operation after the claim was removed")
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bound", "Available", "Pending", "''"})
    void volume_notReleased_isIgnored(String phase) {
        assertThat(ReclaimFixture.of(ours("", phase)).run().takeEvents()).isEmpty();
    }

    @Test
    void volume_policyRetain_isKept() {
        ReclaimFixture fixture =
                ReclaimFixture.of(volume("", BY_CONTROLLER, policy("Retain") + ", " + HOST_PATH, "Released"));
        assertThat(fixture.run().takeEvents()).isEmpty();
    }

    @Test
    void terminatingVolume_claimDeletedLater_dataIsDeletedThen() {
        ReclaimFixture fixture = ReclaimFixture.of(ours(DELETED, "Bound"), claim("u1", "pv1"));
        assertThat(fixture.run().takeEvents()).isEmpty();
        fixture.remove("persistentvolumeclaims/default/data").put(ours(DELETED, "Released"));
        fixture.reportStatus(DELETE, "state: Succeeded");
        assertThat(fixture.has(KEY)).isFalse();
        assertThat(fixture.has(DELETE)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Available", "Pending"})
    void terminatingVolume_neverBound_dataIsDeleted(String phase) {
        String volume = ours(DELETED, phase).replaceAll(", claimRef: \\{.*?}", "");
        ReclaimFixture fixture = ReclaimFixture.of(volume);
        assertThat(fixture.has(DELETE)).isTrue();
        fixture.reportStatus(DELETE, "state: Failed, attempts: 1, lastError: {message: Nope}");
        assertThat(fixture.phase()).as("phase, which only the binder changes").isEqualTo(phase);
        assertThat(fixture.events()).containsExactly("Warning VolumeFailedDelete: Nope");
        fixture.assertSettled().reportStatus(DELETE, "state: Succeeded");
        assertThat(fixture.has(KEY)).isFalse();
        assertThat(ReclaimFixture.of(volume.replace(DELETED, "")).has(DELETE)).isFalse();
    }

    @Test
    void volume_mountedOrAttached_isDeletedOnlyAfterUse() {
        ReclaimFixture fixture = ReclaimFixture.of(
                ours("", "Released"),
                mount(),
                "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a1}, spec: {nodeName: n2,"
                        + " source: {persistentVolumeName: pv1}}}\n");
        assertThat(fixture.has(DELETE)).isFalse();
        assertThat(fixture.phase()).isEqualTo("Released");
        assertThat(fixture.events())
                .containsExactly(
                        "Normal VolumeDelete: volume is still in use: mounted on node n1; attached to node n2");
        fixture.assertSettled().remove("actualvolumes.mooring.dev/m1");
        assertThat(fixture.has(DELETE)).isFalse();
        fixture.remove("volumeattachments.storage.k8s.io/a1");
        assertThat(fixture.has(DELETE)).isTrue();
    }

    @Test
    void operation_volumeMountedBeforeStart_isRemoved() {
        ReclaimFixture fixture = ReclaimFixture.of(ours("", "Released"));
        fixture.put(mount());
        assertThat(fixture.has(DELETE)).isFalse();
        fixture.remove("actualvolumes.mooring.dev/m1");
        assertThat(fixture.has(DELETE)).isTrue();
        fixture.reportStatus(DELETE, "state: Running").put(mount());
        assertThat(fixture.has(DELETE)).isTrue();
    }

    @Test
    void volume_itsNodeDoesNotExist_failsUntilItDoes() {
        ReclaimFixture fixture = new ReclaimFixture(NAMESPACE, node("n2", "host2"), ours("", "Released"));
        assertThat(fixture.phase()).isEqualTo("Failed");
        assertThat(fixture.message())
                .startsWith("node host1 holding this volume does not exist; ")
                .contains("Retain");
        assertThat(fixture.events()).hasSize(1);
        fixture.assertSettled().put(N1);
        assertThat(fixture.has(DELETE)).isTrue();
        fixture.remove("nodes/n1");
        assertThat(fixture.message()).startsWith("node host1 holding this volume does not exist");
        fixture.put(N1).reportStatus(DELETE, "state: Succeeded");
        assertThat(fixture.has(KEY)).isFalse();
    }

    @Test
    void volume_nodeWithoutHostnameLabel_isFoundByName() {
        ReclaimFixture fixture =
                new ReclaimFixture(NAMESPACE, "{kind: Node, metadata: {name: host1}}\n", ours("", "Released"));
        assertThat(fixture.operation(DELETE).orElseThrow().at("/spec/node").asText())
                .isEqualTo("host1");
    }

    @Test
    void nfsVolume_isDeletedByAReadyNode() {
        String volume = volume(
                "finalizers: [kubernetes.io/pv-controller],",
                "pv.kubernetes.io/provisioned-by: mooring.dev/nfs",
                policy("Delete") + ", nfs: {server: s, path: /p}",
                "Released");
        String unready = "{kind: Node, metadata: {name: n0}, status: {conditions: [{type: Ready, status: Unknown}]}}\n";
        ReclaimFixture fixture = new ReclaimFixture(NAMESPACE, unready, volume);
        assertThat(fixture.message()).startsWith("no ready node can reach this volume");
        fixture.put(N1);
        assertThat(fixture.operation(DELETE).orElseThrow().at("/spec/node").asText())
                .isEqualTo("n1");
        fixture.put(unready.replace("Unknown", "'True'"));
        assertThat(fixture.operation(DELETE).orElseThrow().at("/spec/node").asText())
                .isEqualTo("n1");
        fixture.remove("nodes/n1");
        assertThat(fixture.operation(DELETE).orElseThrow().at("/spec/node").asText())
                .as("node after the first one was removed")
                .isEqualTo("n0");
    }

    /** A controller that starts in any intermediate state reaches the same final state. */
    @Test
    void controller_restartedInAnyState_completesDeletion() {
        ReclaimFixture fixture = new ReclaimFixture(NAMESPACE, N1, ours("", "Released"), mount());
        List<World> states = new ArrayList<>(List.of(fixture.run().world()));
        fixture.remove("actualvolumes.mooring.dev/m1");
        states.add(fixture.run().world());
        for (String status : List.of("state: Running", "state: Failed, attempts: 1, lastError: {message: Nope}")) {
            fixture.reportStatus(DELETE, status);
            states.add(fixture.run().world());
        }
        for (World state : states) {
            ReclaimFixture next = new ReclaimFixture(state);
            if (next.has("actualvolumes.mooring.dev/m1")) {
                next.remove("actualvolumes.mooring.dev/m1");
            }
            next.reportStatus(DELETE, "state: Succeeded");
            assertThat(next.has(KEY)).isFalse();
            assertThat(next.has(DELETE)).isFalse();
        }
    }
}
