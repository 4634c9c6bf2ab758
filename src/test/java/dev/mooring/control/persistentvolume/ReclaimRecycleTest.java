package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.ReclaimFixture.BY_CONTROLLER;
import static dev.mooring.control.persistentvolume.ReclaimFixture.HOST_PATH;
import static dev.mooring.control.persistentvolume.ReclaimFixture.KEY;
import static dev.mooring.control.persistentvolume.ReclaimFixture.SCRUB;
import static dev.mooring.control.persistentvolume.ReclaimFixture.claim;
import static dev.mooring.control.persistentvolume.ReclaimFixture.mount;
import static dev.mooring.control.persistentvolume.ReclaimFixture.node;
import static dev.mooring.control.persistentvolume.ReclaimFixture.pod;
import static dev.mooring.control.persistentvolume.ReclaimFixture.policy;
import static dev.mooring.control.persistentvolume.ReclaimFixture.recycled;
import static dev.mooring.control.persistentvolume.ReclaimFixture.volume;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Section D of the cases. */
class ReclaimRecycleTest {
    @Test
    void volume_boundByController_isRecycledAndAvailable() { // 6-1
        ReclaimFixture fixture = ReclaimFixture.of(recycled(BY_CONTROLLER, "Released"));
        assertThat(fixture.operation(SCRUB).orElseThrow().path("spec").toString())
                .isEqualTo(
                        "{\"operation\":\"Scrub\",\"node\":\"n1\",\"provisioner\":\"mooring.dev/hostpath\",\"persistentVolume\":\"pv1\","
                            + "\"persistentVolumeUID\":\"uid-pv1\",\"claim\":{\"namespace\":\"default\",\"name\":\"data\",\"uid\":\"u1\"},"
                            + "\"source\":{\"hostPath\":{\"path\":\"/srv/v/pv1\",\"type\":\"Directory\"}},"
                            + "\"volumeMode\":\"Filesystem\"}");
        fixture.run().takeEvents();
        fixture.reportStatus(SCRUB, "state: Succeeded");
        assertThat(fixture.run().takeEvents()).as("one event").containsExactly("VolumeRecycled " + KEY);
        assertThat(fixture.phase()).isEqualTo("Available");
        assertThat(fixture.volume().path("spec").has("claimRef")).isFalse();
        assertThat(fixture.volume().at("/metadata/annotations").toString()).isEqualTo("{\"x.io/mine\":\"a\"}");
        assertThat(fixture.events()).containsExactly("Normal VolumeRecycled: Volume recycled");
        assertThat(fixture.has(SCRUB)).isFalse();
        fixture.assertSettled().assertForeignFieldsKept();
    }

    @Test
    void volume_boundByUser_isRecycledAfterFailureAndStaysReserved() { // 6-5, 7-1
        ReclaimFixture fixture = ReclaimFixture.of(recycled("", "Released"));
        fixture.reportStatus(SCRUB, "state: Failed, attempts: 1, lastError: {message: Mock recycle error}");
        assertThat(fixture.phase()).isEqualTo("Failed");
        assertThat(fixture.message()).isEqualTo("Recycle failed: Mock recycle error");
        fixture.assertSettled().reportStatus(SCRUB, "state: Succeeded");
        assertThat(fixture.phase()).isEqualTo("Available");
        assertThat(fixture.volume().path("status").has("message")).isFalse();
        assertThat(fixture.volume().at("/spec/claimRef").toString())
                .isEqualTo("{\"kind\":\"PersistentVolumeClaim\",\"namespace\":\"default\",\"name\":\"data\"}");
        assertThat(fixture.events())
                .containsExactly(
                        "Warning VolumeFailedRecycle: Recycle failed: Mock recycle error",
                        "Normal VolumeRecycled: Volume recycled");
    }

    @Test
    void volume_withoutRecyclerPlugin_fails() { // 6-3
        ReclaimFixture fixture =
                ReclaimFixture.of(volume("", "", policy("Recycle") + ", local: {path: /mnt/disk}", "Released"));
        assertThat(fixture.phase()).isEqualTo("Failed");
        assertThat(fixture.message()).isEqualTo("No recycler plugin found for the volume!");
        assertThat(fixture.events()).hasSize(1);
        assertThat(fixture.events().get(0))
                .startsWith("Warning VolumeFailedRecycle: No recycler plugin found for the volume!");
        fixture.assertSettled();
    }

    @Test
    void volume_unknownPolicy_fails() { // 6-10
        ReclaimFixture fixture = ReclaimFixture.of(volume("", "", policy("Unknown") + ", " + HOST_PATH, "Released"));
        assertThat(fixture.phase()).isEqualTo("Failed");
        assertThat(fixture.message()).isEqualTo("Volume has unrecognized PersistentVolumeReclaimPolicy");
        assertThat(fixture.events().get(0)).startsWith("Warning VolumeUnknownReclaimPolicy: Volume has unrecognized");
        fixture.assertSettled();
    }

    @Test
    void volume_usedByPodsOrMounted_isRecycledOnlyAfterUse() { // 6-11, 6-13
        ReclaimFixture fixture = ReclaimFixture.of(
                recycled(BY_CONTROLLER, "Released"), pod("runs", "Running"), pod("waits", "Pending"), mount());
        assertThat(fixture.phase()).isEqualTo("Released");
        assertThat(fixture.has(SCRUB)).isFalse();
        assertThat(fixture.events())
                .containsExactly("Normal VolumeFailedRecycle: Volume is used by pods: default/runs, default/waits;"
                        + " mounted on node n1");
        fixture.assertSettled().remove("pods/default/waits").put(pod("runs", "Succeeded"));
        assertThat(fixture.events()).contains("Normal VolumeFailedRecycle: Volume is still mounted on node n1");
        fixture.remove("actualvolumes.mooring.dev/m1");
        assertThat(fixture.has(SCRUB)).isTrue();
    }

    @Test
    void volume_podsUseNewClaimOfTheSameName_isRecycled() {
        ReclaimFixture fixture = ReclaimFixture.of(
                recycled(BY_CONTROLLER, "Released"),
                pod("runs", "Running").replace("{name: runs", "{creationTimestamp: '2026-01-02T00:00:00Z', name: runs"),
                claim("u2", "pv2"));
        assertThat(fixture.has(SCRUB)).isTrue();
    }

    @Test
    void volume_withoutNodeAffinity_isRecycledOnlyWithOneNode() {
        String anywhere = volume("", BY_CONTROLLER, policy("Recycle") + ", " + HOST_PATH, "Released");
        assertThat(ReclaimFixture.of(anywhere).has(SCRUB)).as("one node").isTrue();
        ReclaimFixture fixture = ReclaimFixture.of(anywhere, node("n2", "host2"));
        assertThat(fixture.has(SCRUB)).isFalse();
        assertThat(fixture.message())
                .startsWith("Recycle failed: spec.nodeAffinity does not tell which of 2 nodes holds this volume");
        fixture.remove("nodes/n2");
        assertThat(fixture.has(SCRUB)).isTrue();
    }
}
