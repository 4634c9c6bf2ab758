package dev.mooring.control.reclaim;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ManyControllers;
import dev.mooring.control.Removal;
import dev.mooring.control.StoredJson;
import dev.mooring.control.Worlds;
import dev.mooring.control.bind.Binder;
import dev.mooring.control.protect.ClaimProtection;
import dev.mooring.control.protect.VolumeProtection;
import dev.mooring.model.Cause;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From a bound claim to nothing, with all who have a say in it, and nobody writing against anybody. */
class ReclaimWithOthersTest {
    private static final ObjectKey VOLUME = ObjectKey.parse(ReclaimScene.KEY);
    private static final ObjectKey CLAIM = ObjectKey.parse("persistentvolumeclaims/default/data");
    private static final ObjectKey ORDER = ObjectKey.parse(ReclaimScene.DELETE);
    private static final String POD =
            "{kind: Pod, metadata: {name: a, namespace: default}, spec: {nodeName: n1, volumes:"
                    + " [{name: v, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}";

    private final ManyControllers all = new ManyControllers(
            Worlds.of(String.join(
                    "\n---\n",
                    ReclaimScene.HOME,
                    ReclaimScene.N1,
                    ReclaimScene.ours("", "Bound")
                            .replace(", x-foreign: [1]", ", capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]"),
                    "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, uid: u1, finalizers:"
                        + " [kubernetes.io/pvc-protection], annotations: {pv.kubernetes.io/bind-completed: 'yes'}},"
                        + " spec: {volumeName: pv1, storageClassName: fast, accessModes: [ReadWriteOnce], resources:"
                        + " {requests: {storage: 1Gi}}}, status: {phase: Bound}}",
                    POD)),
            List.of(Binder::new, ClaimProtection::new, VolumeProtection::new, Reclaimer::new));

    private void delete(ObjectKey key) {
        StoredObject seen = all.world().get(key).orElseThrow();
        new Removal("tester", Cause.none())
                .delete(seen, StoredJson.tree(seen), all.now())
                .ifPresent(all::happen);
    }

    private boolean has(ObjectKey key) {
        return all.world().get(key).isPresent();
    }

    private void succeed() {
        ObjectNode order = StoredJson.tree(all.world().get(ORDER).orElseThrow());
        order.putObject("status").put("state", "Succeeded");
        all.put(order);
    }

    @Test
    void goesFromClaimToDataToVolume() {
        all.settle();
        delete(CLAIM);
        all.settle();
        assertThat(has(CLAIM)).as("a Pod has it").isTrue();
        all.remove(ObjectKey.parse("pods/default/a")).settle();
        assertThat(has(CLAIM)).isFalse();
        assertThat(has(ORDER)).isTrue();
        succeed();
        all.settle();
        assertThat(has(VOLUME)).isFalse();
        assertThat(has(ORDER)).isFalse();
    }

    @Test
    void deletesTheDataWhateverIsDeletedFirst() {
        all.settle();
        delete(VOLUME);
        all.settle();
        assertThat(has(VOLUME)).as("a claim has it").isTrue();
        all.did();
        assertThat(all.settle().did())
                .as("nobody takes another's words away for ever")
                .isEmpty();
        all.remove(ObjectKey.parse("pods/default/a"));
        delete(CLAIM);
        all.settle();
        assertThat(has(VOLUME)).as("its data is there").isTrue();
        succeed();
        all.settle();
        assertThat(has(VOLUME)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void comesToTheSameEndInWhateverOrderAndWithWhomeverKilled(long seed) {
        Random chance = new Random(seed);
        all.remove(ObjectKey.parse("pods/default/a"));
        delete(VOLUME);
        delete(CLAIM);
        for (int i = 0; i < 200; i++) {
            all.step(chance);
            if (chance.nextInt(10) == 0) {
                all.restart(chance.nextInt(all.size()));
            }
        }
        all.settle();
        assertThat(has(VOLUME)).as("not before its data").isTrue();
        succeed();
        all.settle();
        assertThat(has(VOLUME)).isFalse();
        assertThat(has(ORDER)).isFalse();
        assertThat(has(CLAIM)).isFalse();
    }
}
