package dev.mooring.control.reclaim;

import static dev.mooring.control.reclaim.ReclaimScene.BY_CONTROLLER;
import static dev.mooring.control.reclaim.ReclaimScene.HOST_PATH;
import static dev.mooring.control.reclaim.ReclaimScene.KEY;
import static dev.mooring.control.reclaim.ReclaimScene.SCRUB;
import static dev.mooring.control.reclaim.ReclaimScene.claim;
import static dev.mooring.control.reclaim.ReclaimScene.mount;
import static dev.mooring.control.reclaim.ReclaimScene.node;
import static dev.mooring.control.reclaim.ReclaimScene.pod;
import static dev.mooring.control.reclaim.ReclaimScene.policy;
import static dev.mooring.control.reclaim.ReclaimScene.recycled;
import static dev.mooring.control.reclaim.ReclaimScene.volume;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Section D of the cases. */
class RecycleTest {
    @Test
    void offersAVolumeToAllThatTheControllerHadBound() { // 6-1
        ReclaimScene scene = ReclaimScene.of(recycled(BY_CONTROLLER, "Released"));
        assertThat(scene.operation(SCRUB).orElseThrow().path("spec").toString())
                .isEqualTo(
                        "{\"operation\":\"Scrub\",\"node\":\"n1\",\"provisioner\":\"mooring.dev/hostpath\",\"persistentVolume\":\"pv1\","
                            + "\"persistentVolumeUID\":\"uid-pv1\",\"claim\":{\"namespace\":\"default\",\"name\":\"data\",\"uid\":\"u1\"},"
                            + "\"source\":{\"hostPath\":{\"path\":\"/srv/v/pv1\",\"type\":\"Directory\"}},"
                            + "\"volumeMode\":\"Filesystem\"}");
        scene.run().did();
        scene.does(SCRUB, "state: Succeeded");
        assertThat(scene.run().did()).as("one event").containsExactly("VolumeRecycled " + KEY);
        assertThat(scene.phase()).isEqualTo("Available");
        assertThat(scene.volume().path("spec").has("claimRef")).isFalse();
        assertThat(scene.volume().at("/metadata/annotations").toString()).isEqualTo("{\"x.io/mine\":\"a\"}");
        assertThat(scene.events()).containsExactly("Normal VolumeRecycled: Volume recycled");
        assertThat(scene.has(SCRUB)).isFalse();
        scene.isQuiet().keepsForeignFields();
    }

    @Test
    void offersAVolumeToTheNextOfThatNameThatAUserHadBoundAfterAFailure() { // 6-5, 7-1
        ReclaimScene scene = ReclaimScene.of(recycled("", "Released"));
        scene.does(SCRUB, "state: Failed, attempts: 1, lastError: {message: Mock recycle error}");
        assertThat(scene.phase()).isEqualTo("Failed");
        assertThat(scene.message()).isEqualTo("Recycle failed: Mock recycle error");
        scene.isQuiet().does(SCRUB, "state: Succeeded");
        assertThat(scene.phase()).isEqualTo("Available");
        assertThat(scene.volume().path("status").has("message")).isFalse();
        assertThat(scene.volume().at("/spec/claimRef").toString())
                .isEqualTo("{\"kind\":\"PersistentVolumeClaim\",\"namespace\":\"default\",\"name\":\"data\"}");
        assertThat(scene.events())
                .containsExactly(
                        "Warning VolumeFailedRecycle: Recycle failed: Mock recycle error",
                        "Normal VolumeRecycled: Volume recycled");
    }

    @Test
    void failsForKindsThatNobodyCanEmpty() { // 6-3
        ReclaimScene scene =
                ReclaimScene.of(volume("", "", policy("Recycle") + ", local: {path: /mnt/disk}", "Released"));
        assertThat(scene.phase()).isEqualTo("Failed");
        assertThat(scene.message()).isEqualTo("No recycler plugin found for the volume!");
        assertThat(scene.events()).hasSize(1);
        assertThat(scene.events().get(0))
                .startsWith("Warning VolumeFailedRecycle: No recycler plugin found for the volume!");
        scene.isQuiet();
    }

    @Test
    void failsForPoliciesItDoesNotKnow() { // 6-10
        ReclaimScene scene = ReclaimScene.of(volume("", "", policy("Unknown") + ", " + HOST_PATH, "Released"));
        assertThat(scene.phase()).isEqualTo("Failed");
        assertThat(scene.message()).isEqualTo("Volume has unrecognized PersistentVolumeReclaimPolicy");
        assertThat(scene.events().get(0)).startsWith("Warning VolumeUnknownReclaimPolicy: Volume has unrecognized");
        scene.isQuiet();
    }

    @Test
    void waitsForPodsThatStillNameTheClaimAndForNodes() { // 6-11, 6-13
        ReclaimScene scene = ReclaimScene.of(
                recycled(BY_CONTROLLER, "Released"), pod("runs", "Running"), pod("waits", "Pending"), mount());
        assertThat(scene.phase()).isEqualTo("Released");
        assertThat(scene.has(SCRUB)).isFalse();
        assertThat(scene.events())
                .containsExactly("Normal VolumeFailedRecycle: Volume is used by pods: default/runs, default/waits;"
                        + " mounted on node n1");
        scene.isQuiet().remove("pods/default/waits").put(pod("runs", "Succeeded"));
        assertThat(scene.events()).contains("Normal VolumeFailedRecycle: Volume is still mounted on node n1");
        scene.remove("actualvolumes.mooring.dev/m1");
        assertThat(scene.has(SCRUB)).isTrue();
    }

    @Test
    void takesPodsForThoseOfTheClaimThatHasTheNameNow() {
        ReclaimScene scene = ReclaimScene.of(
                recycled(BY_CONTROLLER, "Released"),
                pod("runs", "Running").replace("{name: runs", "{creationTimestamp: '2026-01-02T00:00:00Z', name: runs"),
                claim("u2", "pv2"));
        assertThat(scene.has(SCRUB)).isTrue();
    }

    @Test
    void asksWhichNodeIfAnyCouldBeMeant() {
        String anywhere = volume("", BY_CONTROLLER, policy("Recycle") + ", " + HOST_PATH, "Released");
        assertThat(ReclaimScene.of(anywhere).has(SCRUB)).as("one node").isTrue();
        ReclaimScene scene = ReclaimScene.of(anywhere, node("n2", "host2"));
        assertThat(scene.has(SCRUB)).isFalse();
        assertThat(scene.message())
                .startsWith("Recycle failed: this volume does not say which of 2 nodes holds it (spec.nodeAffinity)");
        scene.remove("nodes/n2");
        assertThat(scene.has(SCRUB)).isTrue();
    }
}
