package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.ReclaimFixture.BY_CONTROLLER;
import static dev.mooring.control.persistentvolume.ReclaimFixture.DELETE;
import static dev.mooring.control.persistentvolume.ReclaimFixture.DELETED;
import static dev.mooring.control.persistentvolume.ReclaimFixture.KEY;
import static dev.mooring.control.persistentvolume.ReclaimFixture.N1;
import static dev.mooring.control.persistentvolume.ReclaimFixture.NAMESPACE;
import static dev.mooring.control.persistentvolume.ReclaimFixture.SCRUB;
import static dev.mooring.control.persistentvolume.ReclaimFixture.claim;
import static dev.mooring.control.persistentvolume.ReclaimFixture.mount;
import static dev.mooring.control.persistentvolume.ReclaimFixture.ours;
import static dev.mooring.control.persistentvolume.ReclaimFixture.recycled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.control.Decision;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Concurrent changes to a volume while its data is being deleted or scrubbed. */
class ReclaimRacesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String CLEARED = ours("", "Available").replaceAll(", claimRef: \\{.*?}", "");

    /** Races 5, 6 and 11: every decision conflicts if the claim or the volume has changed. */
    @ParameterizedTest
    @ValueSource(strings = {"", "state: Failed, attempts: 1, lastError: {message: Nope}", "state: Succeeded"})
    void decision_claimOrVolumeChanged_conflicts(String status) {
        World world = WorldFixture.of(String.join("\n---\n", NAMESPACE, N1, ours("", "Released")));
        if (!status.isEmpty()) {
            world = WorldFixture.put(
                    world, WorldFixture.objects(operation(status)).get(0));
        }
        List<Proposal> proposals = decide(world).proposals();
        assertThat(proposals).hasSize(1);
        World claimed =
                WorldFixture.put(world, WorldFixture.objects(claim("u1", "pv1")).get(0));
        assertThatThrownBy(() -> WorldFixture.after(claimed, proposals.get(0)))
                .hasMessageContaining("persistentvolumeclaims");
        World edited = WorldFixture.put(world, WorldFixture.objects(CLEARED).get(0));
        assertThatThrownBy(() -> WorldFixture.after(edited, proposals.get(0))).hasMessageContaining(KEY);
        assertThat(decide(claimed).proposals())
                .as("decisions on the new World")
                .noneMatch(each ->
                        each.type().equals("VolumeDeleted") || each.type().equals("VolumeOperationCreated"));
    }

    private static Decision decide(World world) {
        return new ReclaimController().reconcile(world, ObjectKey.parse(KEY), NOW);
    }

    private static String operation(String status) {
        return "{apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: delete-uid-pv1}, spec:"
                + " {operation: Delete, node: n1, persistentVolume: pv1, persistentVolumeUID: uid-pv1},"
                + " status: {" + status + "}}";
    }

    @Test
    void volume_userNotYetInIndex_isNotDeleted() {
        World world = WorldFixture.of(String.join("\n---\n", NAMESPACE, N1, ours("", "Released"), mount()));
        assertThat(decide(world).proposals()).extracting(Proposal::type).containsExactly("EventRecorded");
    }

    @Test
    void operation_notStartedAndVolumeReusedOrRetained_isRemoved() {
        ReclaimFixture fixture = ReclaimFixture.of(ours("", "Released"));
        fixture.put(CLEARED);
        assertThat(fixture.has(DELETE)).isFalse();
        assertThat(fixture.has(KEY)).isTrue();
        assertThat(fixture.events()).isEmpty();
        ReclaimFixture retained = ReclaimFixture.of(ours("", "Released"));
        retained.put(ours(DELETED, "Released").replace("Policy: Delete", "Policy: Retain"));
        assertThat(retained.has(DELETE)).isFalse();
        assertThat(retained.volume().at("/metadata/finalizers").toString())
                .isEqualTo("[\"kubernetes.io/pv-protection\"]");
    }

    @Test
    void volume_policyChangedToRetainWhileDeleting_isKeptUntilDoneAndFails() {
        ReclaimFixture fixture = ReclaimFixture.of(ours("", "Released"));
        fixture.reportStatus(DELETE, "state: Running")
                .put(ours(DELETED, "Released").replace("Policy: Delete", "Policy: Retain"));
        assertThat(fixture.volume().at("/metadata/finalizers").toString()).contains("pv-controller");
        fixture.reportStatus(DELETE, "state: Succeeded");
        assertThat(fixture.phase()).isEqualTo("Failed");
        assertThat(fixture.message())
                .isEqualTo("The data was deleted: the deletion had started before the reclaim policy was changed to"
                        + " Retain");
        assertThat(fixture.has(DELETE)).isFalse();
        fixture.assertSettled();
    }

    @Test
    void volume_claimRefRemovedWhileDeleting_isDeletedToo() {
        ReclaimFixture fixture = ReclaimFixture.of(ours("", "Released"));
        fixture.reportStatus(DELETE, "state: Running").put(CLEARED);
        assertThat(fixture.has(DELETE)).isTrue();
        fixture.reportStatus(DELETE, "state: Succeeded");
        assertThat(fixture.has(KEY)).isFalse();
        assertThat(fixture.has(DELETE)).isFalse();
        assertThat(fixture.events())
                .containsExactly(
                        "Warning VolumeDelete: The data was deleted: the deletion had started before the volume was"
                                + " released from its last claim; the volume is deleted, too");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        state: Succeeded                                        | VolumeDelete: The data was deleted: the deletion had started before the volume was bound to claim default/data
        state: Failed, attempts: 2, lastError: {message: Nope}    | VolumeFailedDelete: Deletion of the data had started before the volume was bound to claim default/data, and failed: Nope; part of the data may be missing
        """)
    void volume_boundToAnotherClaimWhileDeleting_reportsTheOutcome(String status, String event) {
        ReclaimFixture fixture = ReclaimFixture.of(ours("", "Released"));
        fixture.reportStatus(DELETE, "state: Running");
        fixture.put(claim("u2", "pv1")).put(ours("", "Bound").replace("uid: u1", "uid: u2"));
        assertThat(fixture.has(DELETE)).isTrue();
        fixture.reportStatus(DELETE, status);
        assertThat(fixture.has(DELETE)).isFalse();
        assertThat(fixture.phase()).isEqualTo("Bound");
        String reason = event.substring(0, event.indexOf(':'));
        assertThat(fixture.events())
                .containsExactly(
                        "Warning " + reason + ": Volume pv1: " + event.substring(reason.length() + 2),
                        "Warning " + event);
        fixture.assertSettled();
    }

    @Test
    void volume_madeAvailableWhileScrubbing_reportsRecycled() {
        ReclaimFixture fixture = ReclaimFixture.of(recycled(BY_CONTROLLER, "Released"));
        fixture.reportStatus(SCRUB, "state: Running")
                .put(recycled(BY_CONTROLLER, "Available").replaceAll(", claimRef: \\{.*?}", ""))
                .reportStatus(SCRUB, "state: Succeeded");
        assertThat(fixture.phase()).isEqualTo("Available");
        assertThat(fixture.events()).containsExactly("Normal VolumeRecycled: Volume recycled");
        assertThat(fixture.has(SCRUB)).isFalse();
    }

    /** Cases 6-6 and 8-6, and more: the finalizers were removed by force. */
    @Test
    void removedVolume_deletionIsCompletedButScrubbingIsNot() {
        ReclaimFixture deletion = ReclaimFixture.of(ours("", "Released"));
        deletion.remove(KEY);
        assertThat(deletion.has(DELETE)).isTrue();
        deletion.reportStatus(DELETE, "state: Failed, attempts: 1").assertSettled();
        assertThat(deletion.has(DELETE)).isTrue();
        deletion.put(ours("uid: reborn,", "Bound").replace("uid: u1", "uid: u9"));
        assertThat(deletion.has(DELETE))
                .as("operation while another volume has the name")
                .isTrue();
        deletion.reportStatus(DELETE, "state: Succeeded");
        assertThat(deletion.has(DELETE)).isFalse();
        assertThat(deletion.has(KEY)).isTrue();

        ReclaimFixture scrubbing = ReclaimFixture.of(recycled("", "Released"));
        scrubbing.reportStatus(SCRUB, "state: Running").remove(KEY);
        assertThat(scrubbing.has(SCRUB)).isTrue();
        scrubbing.reportStatus(SCRUB, "state: Failed, attempts: 1");
        assertThat(scrubbing.has(SCRUB))
                .as("operation on data that may belong to another volume")
                .isFalse();
    }

    @Test
    void volume_policyChangedFromRecycleToDelete_operationIsReplaced() {
        String volume = ours("", "Released").replace("Policy: Delete", "Policy: Recycle");
        ReclaimFixture fixture = ReclaimFixture.of(volume);
        assertThat(fixture.has(SCRUB)).isTrue();
        fixture.put(ours("", "Released"));
        assertThat(fixture.has(SCRUB)).isFalse();
        assertThat(fixture.has(DELETE)).isTrue();
    }

    @Test
    void boundVolume_statusChanges_causesNoReconcile() {
        ReclaimFixture fixture = ReclaimFixture.of(ours("", "Bound"), claim("u1", "pv1"));
        int reconciles = fixture.run().reconciles();
        for (int i = 0; i < 10; i++) {
            fixture.put(ours("", "Bound").replace("x-foreign: b", "x-foreign: b" + i));
        }
        assertThat(fixture.run().reconciles() - reconciles).isZero();
    }
}
