package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
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
}
