package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodsWithoutRuntimeTest {
    private static final String DELETED =
            "---\n{kind: Pod, metadata: {name: p, namespace: default, deletionTimestamp: '2026-01-01T00:00:30Z',"
                    + " deletionGracePeriodSeconds: 30}, spec: {nodeName: n1}}\n";
    private static final String MOUNTED =
            "---\n{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: v}, spec: {node: n1},"
                    + " status: {mounts: [{path: /x, pod: {namespace: default, name: p, uid: uid-p}}]}}\n";

    @Test
    void aDeletedPodGoesAtOnce() {
        OneController node = new OneController(new PodsWithoutRuntime("n1"), DELETED).settle();

        assertThat(node.keys()).isEmpty();
    }

    @Test
    void aPodOfAnotherNodeAndOneThatIsNotDeletedStay() {
        OneController node = new OneController(
                        new PodsWithoutRuntime("n2"),
                        DELETED + "---\n{kind: Pod, metadata: {name: q, namespace: default}, spec: {nodeName: n2}}\n")
                .settle();

        assertThat(node.keys()).containsExactlyInAnyOrder("pods/default/p", "pods/default/q");
        assertThat(node.did()).isEmpty();
    }

    @Test
    void aPodWaitsUntilItsVolumesAreUnmounted() {
        OneController node = new OneController(new PodsWithoutRuntime("n1"), MOUNTED + DELETED).settle();
        assertThat(node.keys()).contains("pods/default/p");

        node.remove("actualvolumes.mooring.dev/v").settle();

        assertThat(node.keys()).isEmpty();
    }

    @Test
    void whatElseHoldsAPodHoldsItStill() {
        OneController node = new OneController(
                        new PodsWithoutRuntime("n1"),
                        DELETED.replace("name: p,", "name: p, finalizers: [a.example/b],"))
                .settle();

        assertThat(node.keys()).containsExactly("pods/default/p");
        assertThat(Worlds.tree(node.world(), "pods/default/p")
                        .path("metadata")
                        .path("deletionGracePeriodSeconds")
                        .asInt())
                .isZero();
    }

    @Test
    void aPodWaitsAsLongAsAVolumeOfItIsWanted() {
        String pod = DELETED.replace("nodeName: n1", "nodeName: n1, volumes: [{name: v}]");
        ObjectNode tree = Worlds.objects(pod).get(0);
        String desired =
                DesiredVolume.key(Pod.of(Worlds.draft(tree).at(1)), "v").name();
        OneController node = new OneController(
                        new PodsWithoutRuntime("n1"),
                        pod + "---\n{apiVersion: mooring.dev/v1, kind: DesiredVolume, metadata: {name: " + desired
                                + "}, spec: {node: n1, volumeName: v, volume: x/y, pod: {namespace: default, name: p,"
                                + " uid: uid-p}}}\n")
                .settle();
        assertThat(node.keys()).contains("pods/default/p");

        node.remove("desiredvolumes.mooring.dev/" + desired).settle();

        assertThat(node.keys()).isEmpty();
    }

    @Test
    void aMountThatWasNotToldYetIsFoundWhereTheDesiredOnePointsTo() {
        PodsWithoutRuntime controller = new PodsWithoutRuntime("n1");
        ObjectKey actual = ActualVolume.key("n1", "x/y", "v");
        World world = Worlds.of(DELETED + MOUNTED.replace("name: v}", "name: " + actual.name() + "}"));
        StoredObject desired = Worlds.draft(Worlds.objects("{apiVersion: mooring.dev/v1, kind: DesiredVolume,"
            + " metadata: {name: d}, spec: {node: n1, volumeName: v, volume: x/y, pod: {namespace: default, name: p,"
            + " uid: uid-p}}}")
                        .get(0))
                .at(1);
        ObjectKey pod = Pod.key("default", "p");
        assertThat(controller.reconcile(world, pod, Instant.EPOCH).proposals()).hasSize(1);
        OneController wakes = new OneController(new PodsWithoutRuntime("n1"), World.EMPTY);

        controller.follow(Change.put(desired, 0), Optional.empty(), world, wakes);
        controller.follow(Change.removed(desired, 1), Optional.of(desired), world, wakes);

        assertThat(controller.reconcile(world, pod, Instant.EPOCH).proposals()).isEmpty();
    }

    @Test
    void aVolumeThatIsMountedForOthersOnlyHoldsNobody() {
        OneController node = new OneController(new PodsWithoutRuntime("n1"), MOUNTED + DELETED).settle();

        node.put(MOUNTED.replace("name: p, uid: uid-p", "name: q, uid: uid-q")).settle();

        assertThat(node.keys()).containsExactly("actualvolumes.mooring.dev/v");
    }
}
