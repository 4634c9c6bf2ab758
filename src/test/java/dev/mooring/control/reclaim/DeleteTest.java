package dev.mooring.control.reclaim;

import static dev.mooring.control.reclaim.ReclaimScene.BY_CONTROLLER;
import static dev.mooring.control.reclaim.ReclaimScene.DELETE;
import static dev.mooring.control.reclaim.ReclaimScene.DELETED;
import static dev.mooring.control.reclaim.ReclaimScene.HOME;
import static dev.mooring.control.reclaim.ReclaimScene.HOST_PATH;
import static dev.mooring.control.reclaim.ReclaimScene.KEY;
import static dev.mooring.control.reclaim.ReclaimScene.N1;
import static dev.mooring.control.reclaim.ReclaimScene.claim;
import static dev.mooring.control.reclaim.ReclaimScene.mount;
import static dev.mooring.control.reclaim.ReclaimScene.node;
import static dev.mooring.control.reclaim.ReclaimScene.ours;
import static dev.mooring.control.reclaim.ReclaimScene.policy;
import static dev.mooring.control.reclaim.ReclaimScene.volume;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Section E of the cases, and what upstream has not got. */
class DeleteTest {
    @ParameterizedTest(name = "8-1 from {0}")
    @ValueSource(strings = {"Released", "Failed"})
    void deletesTheDataAndThenTheVolume(String phase) {
        ReclaimScene scene = ReclaimScene.of(ours("", phase));
        ObjectNode order = scene.operation(DELETE).orElseThrow();
        assertThat(order.path("spec").toString())
                .isEqualTo(
                        "{\"operation\":\"Delete\",\"node\":\"n1\",\"provisioner\":\"mooring.dev/hostpath\",\"persistentVolume\":\"pv1\","
                            + "\"persistentVolumeUID\":\"uid-pv1\",\"claim\":{\"namespace\":\"default\",\"name\":\"data\",\"uid\":\"u1\"},"
                            + "\"storageClassName\":\"fast\",\"source\":{\"hostPath\":{\"path\":\"/srv/v/pv1\",\"type\":\"Directory\"}},"
                            + "\"volumeMode\":\"Filesystem\",\"parameters\":{\"onDelete\":\"archive\"}}");
        assertThat(scene.phase()).isEqualTo(phase);
        scene.does(DELETE, "state: Running").isQuiet();
        assertThat(scene.has(KEY)).isTrue();
        scene.run().did();
        scene.does(DELETE, "state: Succeeded");
        assertThat(scene.run().did()).as("one event").containsExactly("VolumeDeleted " + KEY);
        assertThat(scene.has(KEY)).isFalse();
        assertThat(scene.has(DELETE)).isFalse();
        scene.isQuiet();
    }

    @Test
    void leavesAVolumeThatOthersHoldMarked() {
        ReclaimScene scene = ReclaimScene.of(
                ours("finalizers: [kubernetes.io/pv-protection, f.io/x, kubernetes.io/pv-controller],", "Released"));
        scene.does(DELETE, "state: Succeeded");
        assertThat(scene.volume().at("/metadata/finalizers").toString()).isEqualTo("[\"f.io/x\"]");
        assertThat(scene.volume().at("/metadata/deletionTimestamp").asText()).isNotEmpty();
        assertThat(scene.has(DELETE)).as("it is not deleted twice").isFalse();
        scene.isQuiet().keepsForeignFields();
    }

    /** Seed 1886 of the simulation: the node leaves alone what was ordered for another claim, so it waited for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"", "state: Failed, attempts: 1, lastError: {message: Mock delete error}"})
    void ordersItAnewWhenSomebodyTakesTheClaimOutOfAVolumeThatIsBeingDeleted(String status) {
        ReclaimScene scene = ReclaimScene.of(ours(DELETED, "Released"));
        assertThat(scene.operation(DELETE).orElseThrow().at("/spec/claim/uid").asText())
                .isEqualTo("u1");
        if (!status.isEmpty()) {
            scene.does(DELETE, status);
        }
        scene.run().did();
        scene.put(ours(DELETED, "Available").replace(", uid: u1", ""));
        assertThat(scene.run().did())
                .containsExactly("VolumeOperationRemoved " + DELETE, "VolumeOperationCreated " + DELETE);
        assertThat(scene.operation(DELETE).orElseThrow().at("/spec/claim").has("uid"))
                .isFalse();
        scene.isQuiet();
        scene.does(DELETE, "state: Succeeded");
        assertThat(scene.has(KEY)).isFalse();
        assertThat(scene.has(DELETE)).isFalse();
    }

    @Test
    void saysThatALostClaimStillNamesAVolumeThatIsBeingDeleted() {
        String completed = claim("u1", "pv1")
                .replace("uid: u1", "uid: u1, annotations: {pv.kubernetes.io/bind-completed: 'yes'}")
                .replace("Bound", "Lost");
        ReclaimScene scene = ReclaimScene.of(ours(DELETED, "Available").replace(", uid: u1", ""), completed);
        assertThat(scene.has(DELETE)).isFalse();
        assertThat(scene.events())
                .containsExactly(
                        "Normal VolumeDelete: claim default/data still names the volume, so its data stays until that"
                            + " claim is deleted; to give it back to the claim, put its uid u1 into spec.claimRef of"
                            + " the volume");
        scene.isQuiet();
        scene.remove("persistentvolumeclaims/default/data");
        assertThat(scene.has(DELETE)).isTrue();
    }

    @ParameterizedTest(name = "8-3 {0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
        ''                                                       | hostPath: {path: /data}
        ''                                                       | nfs: {server: s, path: /p}
        pv.kubernetes.io/provisioned-by: kubernetes.io/gce-pd    | gcePersistentDisk: {pdName: x}
        pv.kubernetes.io/provisioned-by: mooring.dev/new         | hostPath: {path: /data}
        """)
    void failsWhereNobodyCanDelete(String annotation, String source) {
        ReclaimScene scene = ReclaimScene.of(volume(
                "", annotation.isEmpty() ? BY_CONTROLLER : annotation, policy("Delete") + ", " + source, "Released"));
        // The finalizer of a provisioner of ours that this version does not know comes first.
        assertThat(scene.phase()).isEqualTo("Failed");
        assertThat(scene.message())
                .isEqualTo("error getting deleter volume plugin for volume \"pv1\": no volume plugin matched");
        assertThat(scene.events()).hasSize(1);
        assertThat(scene.events().get(0))
                .startsWith("Warning VolumeFailedDelete: error getting deleter volume plugin for volume \"pv1\"")
                .contains("delete the data by hand");
        scene.isQuiet().keepsForeignFields();
    }

    @Test
    void failsWithTheNodesWordsAndGoesOnWhenTheNodeSucceeds() {
        ReclaimScene scene = ReclaimScene.of(ours("", "Released"));
        scene.does(DELETE, "state: Failed, attempts: 1, lastError: {message: Mock delete error}");
        assertThat(scene.phase()).isEqualTo("Failed");
        assertThat(scene.message()).isEqualTo("Mock delete error");
        assertThat(scene.events()).containsExactly("Warning VolumeFailedDelete: Mock delete error");
        scene.run().did();
        scene.does(DELETE, "state: Running, attempts: 1, lastError: {message: Mock delete error}")
                .does(DELETE, "state: Failed, attempts: 2, lastError: {message: Mock delete error}");
        assertThat(scene.run().did()).as("the same again is no news").isEmpty();
        scene.does(DELETE, "state: Failed, attempts: 3, lastError: {message: Disk on fire}");
        assertThat(scene.message()).isEqualTo("Disk on fire");
        scene.isQuiet().keepsForeignFields();
        scene.does(DELETE, "state: Succeeded");
        assertThat(scene.has(KEY)).isFalse();
    }

    @ParameterizedTest(name = "8-10 {0}")
    @CsvSource(delimiter = '|', textBlock = """
        pv.kubernetes.io/provisioned-by: external.io/test                                           | hostPath: {path: /x}
        x: y                                                                                        | csi: {driver: vendor.io, volumeHandle: h}
        'pv.kubernetes.io/migrated-to: pd.csi, pv.kubernetes.io/provisioned-by: kubernetes.io/gce-pd' | gcePersistentDisk: {pdName: x}
        """)
    void leavesWhatOthersLookAfter(String annotations, String source) {
        ReclaimScene scene = ReclaimScene.of(volume(
                "finalizers: [external-provisioner.volume.kubernetes.io/finalizer],",
                annotations.replace("'", ""),
                policy("Delete") + ", " + source,
                "Released"));
        assertThat(scene.run().did()).isEmpty();
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(delimiter = '|', textBlock = """
        8-9  | u2 |       | yes
        8-9  | u2 | pv1   | yes
        8-12 | u1 | other | yes
        -    | u1 | pv1   | no
        -    | u1 |       | no
        """)
    void deletesOnlyIfTheClaimWillNotComeBack(String id, String uid, String bound, String expected) {
        ReclaimScene scene = ReclaimScene.of(ours("", "Released"), claim(uid, bound == null ? "" : bound));
        assertThat(scene.has(DELETE)).isEqualTo(expected.equals("yes"));
        scene.remove("persistentvolumeclaims/default/data");
        assertThat(scene.has(DELETE)).as("its end wakes us").isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bound", "Available", "Pending", "''"})
    void leavesVolumesAloneThatNobodyReleased(String phase) {
        assertThat(ReclaimScene.of(ours("", phase)).run().did()).isEmpty();
    }

    @Test
    void keepsWhatIsToBeKept() {
        ReclaimScene scene =
                ReclaimScene.of(volume("", BY_CONTROLLER, policy("Retain") + ", " + HOST_PATH, "Released"));
        assertThat(scene.run().did()).isEmpty();
    }

    @Test
    void deletesTheDataOfAVolumeThatWasDeletedBeforeItsClaim() {
        ReclaimScene scene = ReclaimScene.of(ours(DELETED, "Bound"), claim("u1", "pv1"));
        assertThat(scene.run().did()).isEmpty();
        scene.remove("persistentvolumeclaims/default/data").put(ours(DELETED, "Released"));
        scene.does(DELETE, "state: Succeeded");
        assertThat(scene.has(KEY)).isFalse();
        assertThat(scene.has(DELETE)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Available", "Pending"})
    void deletesTheDataOfAVolumeThatNeverHadAClaim(String phase) {
        String volume = ours(DELETED, phase).replaceAll(", claimRef: \\{.*?}", "");
        ReclaimScene scene = ReclaimScene.of(volume);
        assertThat(scene.has(DELETE)).isTrue();
        scene.does(DELETE, "state: Failed, attempts: 1, lastError: {message: Nope}");
        assertThat(scene.phase()).as("the phase is the Binder's").isEqualTo(phase);
        assertThat(scene.events()).containsExactly("Warning VolumeFailedDelete: Nope");
        scene.isQuiet().does(DELETE, "state: Succeeded");
        assertThat(scene.has(KEY)).isFalse();
        assertThat(ReclaimScene.of(volume.replace(DELETED, "")).has(DELETE)).isFalse();
    }

    @Test
    void waitsUntilNoNodeHasIt() {
        ReclaimScene scene = ReclaimScene.of(
                ours("", "Released"),
                mount(),
                "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a1}, spec: {nodeName: n2,"
                        + " source: {persistentVolumeName: pv1}}}\n");
        assertThat(scene.has(DELETE)).isFalse();
        assertThat(scene.phase()).isEqualTo("Released");
        assertThat(scene.events())
                .containsExactly(
                        "Normal VolumeDelete: volume is still in use: mounted on node n1; attached to node n2");
        scene.isQuiet().remove("actualvolumes.mooring.dev/m1");
        assertThat(scene.has(DELETE)).isFalse();
        scene.remove("volumeattachments.storage.k8s.io/a1");
        assertThat(scene.has(DELETE)).isTrue();
    }

    @Test
    void takesAnOrderBackThatNobodyBeganWhenANodeHasTheVolumeAfterAll() {
        ReclaimScene scene = ReclaimScene.of(ours("", "Released"));
        scene.put(mount());
        assertThat(scene.has(DELETE)).isFalse();
        scene.remove("actualvolumes.mooring.dev/m1");
        assertThat(scene.has(DELETE)).isTrue();
        scene.does(DELETE, "state: Running").put(mount());
        assertThat(scene.has(DELETE)).isTrue();
    }

    @Test
    void failsWhileTheNodeThatHoldsItDoesNotExist() {
        ReclaimScene scene = new ReclaimScene(HOME, node("n2", "host2"), ours("", "Released"));
        assertThat(scene.phase()).isEqualTo("Failed");
        assertThat(scene.message())
                .startsWith("node host1 holding this volume does not exist; ")
                .contains("Retain");
        assertThat(scene.events()).hasSize(1);
        scene.isQuiet().put(N1);
        assertThat(scene.has(DELETE)).isTrue();
        scene.remove("nodes/n1");
        assertThat(scene.message()).startsWith("node host1 holding this volume does not exist");
        scene.put(N1).does(DELETE, "state: Succeeded");
        assertThat(scene.has(KEY)).isFalse();
    }

    @Test
    void findsANodeThatGoesByItsName() {
        ReclaimScene scene = new ReclaimScene(HOME, "{kind: Node, metadata: {name: host1}}\n", ours("", "Released"));
        assertThat(scene.operation(DELETE).orElseThrow().at("/spec/node").asText())
                .isEqualTo("host1");
    }

    @Test
    void hasNetworkVolumesDeletedByANodeThatWorks() {
        String volume = volume(
                "finalizers: [kubernetes.io/pv-controller],",
                "pv.kubernetes.io/provisioned-by: mooring.dev/nfs",
                policy("Delete") + ", nfs: {server: s, path: /p}",
                "Released");
        String broken = "{kind: Node, metadata: {name: n0}, status: {conditions: [{type: Ready, status: Unknown}]}}\n";
        ReclaimScene scene = new ReclaimScene(HOME, broken, volume);
        assertThat(scene.message()).startsWith("no node is ready that could reach this volume");
        scene.put(N1);
        assertThat(scene.operation(DELETE).orElseThrow().at("/spec/node").asText())
                .isEqualTo("n1");
        scene.put(broken.replace("Unknown", "'True'"));
        assertThat(scene.operation(DELETE).orElseThrow().at("/spec/node").asText())
                .isEqualTo("n1");
        scene.remove("nodes/n1");
        assertThat(scene.operation(DELETE).orElseThrow().at("/spec/node").asText())
                .as("another node takes over")
                .isEqualTo("n0");
    }

    /** At whatever moment the controller dies, another one brings it to the same end. */
    @Test
    void goesOnFromEveryMomentInBetween() {
        ReclaimScene scene = new ReclaimScene(HOME, N1, ours("", "Released"), mount());
        List<World> moments = new ArrayList<>(List.of(scene.run().world()));
        scene.remove("actualvolumes.mooring.dev/m1");
        moments.add(scene.run().world());
        for (String status : List.of("state: Running", "state: Failed, attempts: 1, lastError: {message: Nope}")) {
            scene.does(DELETE, status);
            moments.add(scene.run().world());
        }
        for (World moment : moments) {
            ReclaimScene next = new ReclaimScene(moment);
            if (next.has("actualvolumes.mooring.dev/m1")) {
                next.remove("actualvolumes.mooring.dev/m1");
            }
            next.does(DELETE, "state: Succeeded");
            assertThat(next.has(KEY)).isFalse();
            assertThat(next.has(DELETE)).isFalse();
        }
    }
}
