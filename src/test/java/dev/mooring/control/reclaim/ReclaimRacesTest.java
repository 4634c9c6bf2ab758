package dev.mooring.control.reclaim;

import static dev.mooring.control.reclaim.ReclaimScene.BY_CONTROLLER;
import static dev.mooring.control.reclaim.ReclaimScene.DELETE;
import static dev.mooring.control.reclaim.ReclaimScene.DELETED;
import static dev.mooring.control.reclaim.ReclaimScene.HOME;
import static dev.mooring.control.reclaim.ReclaimScene.KEY;
import static dev.mooring.control.reclaim.ReclaimScene.N1;
import static dev.mooring.control.reclaim.ReclaimScene.SCRUB;
import static dev.mooring.control.reclaim.ReclaimScene.claim;
import static dev.mooring.control.reclaim.ReclaimScene.mount;
import static dev.mooring.control.reclaim.ReclaimScene.ours;
import static dev.mooring.control.reclaim.ReclaimScene.recycled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.control.Decision;
import dev.mooring.control.Worlds;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What others do to a volume while its data is being seen to. */
class ReclaimRacesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String CLEARED = ours("", "Available").replaceAll(", claimRef: \\{.*?}", "");

    /** Race 5, 6, 11: each decision falls if the claim or the volume is not as it was. */
    @ParameterizedTest
    @ValueSource(strings = {"", "state: Failed, attempts: 1, lastError: {message: Nope}", "state: Succeeded"})
    void isDecidedUponTheVolumeAndTheAbsenceOfItsClaim(String status) {
        World world = Worlds.of(String.join("\n---\n", HOME, N1, ours("", "Released")));
        if (!status.isEmpty()) {
            world = Worlds.put(world, Worlds.objects(order(status)).get(0));
        }
        List<Proposal> proposals = decide(world).proposals();
        assertThat(proposals).hasSize(1);
        World claimed = Worlds.put(world, Worlds.objects(claim("u1", "pv1")).get(0));
        assertThatThrownBy(() -> Worlds.after(claimed, proposals.get(0)))
                .hasMessageContaining("persistentvolumeclaims");
        World edited = Worlds.put(world, Worlds.objects(CLEARED).get(0));
        assertThatThrownBy(() -> Worlds.after(edited, proposals.get(0))).hasMessageContaining(KEY);
        assertThat(decide(claimed).proposals())
                .as("what is decided upon the new World deletes nothing")
                .noneMatch(each ->
                        each.type().equals("VolumeDeleted") || each.type().equals("VolumeOperationCreated"));
    }

    private static Decision decide(World world) {
        return new Reclaimer().reconcile(world, ObjectKey.parse(KEY), NOW);
    }

    private static String order(String status) {
        return "{apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: delete-uid-pv1}, spec:"
                + " {operation: Delete, node: n1, persistentVolume: pv1, persistentVolumeUID: uid-pv1},"
                + " status: {" + status + "}}";
    }

    @Test
    void looksInTheWorldForUsersItHasNotBeenToldOf() {
        World world = Worlds.of(String.join("\n---\n", HOME, N1, ours("", "Released"), mount()));
        assertThat(decide(world).proposals()).extracting(Proposal::type).containsExactly("EventRecorded");
    }

    @Test
    void takesBackAnOrderThatNobodyBegan() {
        ReclaimScene scene = ReclaimScene.of(ours("", "Released"));
        scene.put(CLEARED);
        assertThat(scene.has(DELETE)).isFalse();
        assertThat(scene.has(KEY)).isTrue();
        assertThat(scene.events()).isEmpty();
        ReclaimScene retained = ReclaimScene.of(ours("", "Released"));
        retained.put(ours(DELETED, "Released").replace("Policy: Delete", "Policy: Retain"));
        assertThat(retained.has(DELETE)).isFalse();
        assertThat(retained.volume().at("/metadata/finalizers").toString())
                .isEqualTo("[\"kubernetes.io/pv-protection\"]");
    }

    @Test
    void keepsTheVolumeWhileANodeIsAtItsDataWhateverThePolicyBecame() {
        ReclaimScene scene = ReclaimScene.of(ours("", "Released"));
        scene.does(DELETE, "state: Running").put(ours(DELETED, "Released").replace("Policy: Delete", "Policy: Retain"));
        assertThat(scene.volume().at("/metadata/finalizers").toString()).contains("pv-controller");
        scene.does(DELETE, "state: Succeeded");
        assertThat(scene.phase()).isEqualTo("Failed");
        assertThat(scene.message())
                .isEqualTo("The data was deleted: that had begun before the reclaim policy became Retain");
        assertThat(scene.has(DELETE)).isFalse();
        scene.isQuiet();
    }

    @Test
    void letsAVolumeGoWhoseDataWasDeletedBeforeItWasReleasedByHand() {
        ReclaimScene scene = ReclaimScene.of(ours("", "Released"));
        scene.does(DELETE, "state: Running").put(CLEARED);
        assertThat(scene.has(DELETE)).isTrue();
        scene.does(DELETE, "state: Succeeded");
        assertThat(scene.has(KEY)).isFalse();
        assertThat(scene.has(DELETE)).isFalse();
        assertThat(scene.events())
                .containsExactly(
                        "Warning VolumeDelete: The data was deleted: that had begun before the volume was released"
                                + " from its last claim; the volume goes, too");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        state: Succeeded                                        | VolumeDelete: The data was deleted: that had begun before the volume was given to claim default/data
        state: Failed, attempts: 2, lastError: {message: Nope}    | VolumeFailedDelete: Deletion of the data had begun before the volume was given to claim default/data, and failed: Nope; part of the data may be missing
        """)
    void saysWhatHappenedToAVolumeThatSomebodyElseHasByNow(String status, String told) {
        ReclaimScene scene = ReclaimScene.of(ours("", "Released"));
        scene.does(DELETE, "state: Running");
        scene.put(claim("u2", "pv1")).put(ours("", "Bound").replace("uid: u1", "uid: u2"));
        assertThat(scene.has(DELETE)).isTrue();
        scene.does(DELETE, status);
        assertThat(scene.has(DELETE)).isFalse();
        assertThat(scene.phase()).isEqualTo("Bound");
        String reason = told.substring(0, told.indexOf(':'));
        assertThat(scene.events())
                .containsExactly(
                        "Warning " + reason + ": Volume pv1: " + told.substring(reason.length() + 2),
                        "Warning " + told);
        scene.isQuiet();
    }

    @Test
    void saysThatAVolumeWasScrubbedAfterAll() {
        ReclaimScene scene = ReclaimScene.of(recycled(BY_CONTROLLER, "Released"));
        scene.does(SCRUB, "state: Running")
                .put(recycled(BY_CONTROLLER, "Available").replaceAll(", claimRef: \\{.*?}", ""))
                .does(SCRUB, "state: Succeeded");
        assertThat(scene.phase()).isEqualTo("Available");
        assertThat(scene.events()).containsExactly("Normal VolumeRecycled: Volume recycled");
        assertThat(scene.has(SCRUB)).isFalse();
    }

    /** 6-6, 8-6 and beyond: somebody took the finalizers away. */
    @Test
    void finishesTheDeletionForAVolumeThatIsGoneButNotTheScrubbing() {
        ReclaimScene deletes = ReclaimScene.of(ours("", "Released"));
        deletes.remove(KEY);
        assertThat(deletes.has(DELETE)).isTrue();
        deletes.does(DELETE, "state: Failed, attempts: 1").isQuiet();
        assertThat(deletes.has(DELETE)).isTrue();
        deletes.put(ours("uid: reborn,", "Bound").replace("uid: u1", "uid: u9"));
        assertThat(deletes.has(DELETE))
                .as("another of its name changes nothing")
                .isTrue();
        deletes.does(DELETE, "state: Succeeded");
        assertThat(deletes.has(DELETE)).isFalse();
        assertThat(deletes.has(KEY)).isTrue();

        ReclaimScene scrubs = ReclaimScene.of(recycled("", "Released"));
        scrubs.does(SCRUB, "state: Running").remove(KEY);
        assertThat(scrubs.has(SCRUB)).isTrue();
        scrubs.does(SCRUB, "state: Failed, attempts: 1");
        assertThat(scrubs.has(SCRUB)).as("it may be another volume's by now").isFalse();
    }

    @Test
    void changesFromScrubbingToDeletingWithThePolicy() {
        String volume = ours("", "Released").replace("Policy: Delete", "Policy: Recycle");
        ReclaimScene scene = ReclaimScene.of(volume);
        assertThat(scene.has(SCRUB)).isTrue();
        scene.put(ours("", "Released"));
        assertThat(scene.has(SCRUB)).isFalse();
        assertThat(scene.has(DELETE)).isTrue();
    }

    @Test
    void costsNothingForVolumesThatAreInUse() {
        ReclaimScene scene = ReclaimScene.of(ours("", "Bound"), claim("u1", "pv1"));
        int looks = scene.run().looks();
        for (int i = 0; i < 10; i++) {
            scene.put(ours("", "Bound").replace("x-foreign: b", "x-foreign: b" + i));
        }
        assertThat(scene.run().looks() - looks).isZero();
    }
}
