package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.MultiControllerFixture;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.control.WorldFixture;
import dev.mooring.control.protection.ClaimProtectionController;
import dev.mooring.control.protection.VolumeProtectionController;
import dev.mooring.model.Cause;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deletion of a bound claim and its volume with all controllers involved, which must not undo each other's writes. */
class ReclaimWithAllControllersTest {
    private static final ObjectKey VOLUME = ObjectKey.parse(ReclaimFixture.KEY);
    private static final ObjectKey CLAIM = ObjectKey.parse("persistentvolumeclaims/default/data");
    private static final ObjectKey OPERATION = ObjectKey.parse(ReclaimFixture.DELETE);
    private static final String POD =
            "{kind: Pod, metadata: {name: a, namespace: default}, spec: {nodeName: n1, volumes:"
                    + " [{name: v, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}";

    private final MultiControllerFixture controllers = new MultiControllerFixture(
            WorldFixture.of(String.join(
                    "\n---\n",
                    ReclaimFixture.NAMESPACE,
                    ReclaimFixture.N1,
                    ReclaimFixture.ours("", "Bound")
                            .replace(", x-foreign: [1]", ", capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]"),
                    "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, uid: u1, finalizers:"
                        + " [kubernetes.io/pvc-protection], annotations: {pv.kubernetes.io/bind-completed: 'yes'}},"
                        + " spec: {volumeName: pv1, storageClassName: fast, accessModes: [ReadWriteOnce], resources:"
                        + " {requests: {storage: 1Gi}}}, status: {phase: Bound}}",
                    POD)),
            List.of(
                    PersistentVolumeController::new,
                    ClaimProtectionController::new,
                    VolumeProtectionController::new,
                    ReclaimController::new));

    private void delete(ObjectKey key) {
        StoredObject seen = controllers.world().get(key).orElseThrow();
        new ObjectDeleter("tester", Cause.none())
                .delete(seen, seen.toTree(), controllers.now())
                .ifPresent(controllers::commit);
    }

    private boolean has(ObjectKey key) {
        return controllers.world().get(key).isPresent();
    }

    private void succeed() {
        ObjectNode operation = controllers.world().get(OPERATION).orElseThrow().toTree();
        operation.putObject("status").put("state", "Succeeded");
        controllers.put(operation);
    }

    @Test
    void deletion_ofClaim_removesClaimThenDataThenVolume() {
        controllers.settle();
        delete(CLAIM);
        controllers.settle();
        assertThat(has(CLAIM)).as("claim used by a Pod").isTrue();
        controllers.remove(ObjectKey.parse("pods/default/a")).settle();
        assertThat(has(CLAIM)).isFalse();
        assertThat(has(OPERATION)).isTrue();
        succeed();
        controllers.settle();
        assertThat(has(VOLUME)).isFalse();
        assertThat(has(OPERATION)).isFalse();
    }

    @Test
    void deletion_ofVolumeFirst_removesDataAfterClaim() {
        controllers.settle();
        delete(VOLUME);
        controllers.settle();
        assertThat(has(VOLUME)).as("volume bound to a claim").isTrue();
        controllers.takeEvents();
        assertThat(controllers.settle().takeEvents())
                .as("events of settled controllers")
                .isEmpty();
        controllers.remove(ObjectKey.parse("pods/default/a"));
        delete(CLAIM);
        controllers.settle();
        assertThat(has(VOLUME)).as("volume whose data exists").isTrue();
        succeed();
        controllers.settle();
        assertThat(has(VOLUME)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void deletion_randomInterleavingAndRestarts_reachesTheSameState(long seed) {
        Random random = new Random(seed);
        controllers.remove(ObjectKey.parse("pods/default/a"));
        delete(VOLUME);
        delete(CLAIM);
        for (int i = 0; i < 200; i++) {
            controllers.step(random);
            if (random.nextInt(10) == 0) {
                controllers.restart(random.nextInt(controllers.size()));
            }
        }
        controllers.settle();
        assertThat(has(VOLUME)).as("volume whose data exists").isTrue();
        succeed();
        controllers.settle();
        assertThat(has(VOLUME)).isFalse();
        assertThat(has(OPERATION)).isFalse();
        assertThat(has(CLAIM)).isFalse();
    }
}
