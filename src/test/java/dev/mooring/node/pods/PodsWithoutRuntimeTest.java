package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PodsWithoutRuntimeTest {
    private static final String DELETED =
            "---\n{kind: Pod, metadata: {name: p, namespace: default, deletionTimestamp: '2026-01-01T00:00:30Z',"
                    + " deletionGracePeriodSeconds: 30}, spec: {nodeName: n1}}\n";
    private static final String MOUNTED =
            "---\n{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: v}, spec: {node: n1},"
                    + " status: {mounts: [{path: /x, pod: {namespace: default, name: p, uid: uid-p}}]}}\n";

    @Test
    void deletedPod_isRemovedAtOnce() {
        ControllerFixture node = new ControllerFixture(new PodsWithoutRuntime("n1"), DELETED).settle();

        assertThat(node.keys()).isEmpty();
    }

    @Test
    void podOfOtherNodeOrNotDeleted_isKept() {
        ControllerFixture node = new ControllerFixture(
                        new PodsWithoutRuntime("n2"),
                        DELETED + "---\n{kind: Pod, metadata: {name: q, namespace: default}, spec: {nodeName: n2}}\n")
                .settle();

        assertThat(node.keys()).containsExactlyInAnyOrder("pods/default/p", "pods/default/q");
        assertThat(node.takeEvents()).isEmpty();
    }

    @Test
    void deletedPod_volumeMounted_isRemovedAfterUnmount() {
        ControllerFixture node = new ControllerFixture(new PodsWithoutRuntime("n1"), MOUNTED + DELETED).settle();
        assertThat(node.keys()).contains("pods/default/p");

        node.remove("actualvolumes.mooring.dev/v").settle();

        assertThat(node.keys()).isEmpty();
    }

    @Test
    void deletedPod_otherFinalizer_isKept() {
        ControllerFixture node = new ControllerFixture(
                        new PodsWithoutRuntime("n1"),
                        DELETED.replace("name: p,", "name: p, finalizers: [a.example/b],"))
                .settle();

        assertThat(node.keys()).containsExactly("pods/default/p");
        assertThat(WorldFixture.tree(node.world(), "pods/default/p")
                        .path("metadata")
                        .path("deletionGracePeriodSeconds")
                        .asInt())
                .isZero();
    }

    @Test
    void deletedPod_volumeDesired_isKeptUntilUndesired() {
        String pod = DELETED.replace("nodeName: n1", "nodeName: n1, volumes: [{name: v}]");
        ObjectNode tree = WorldFixture.objects(pod).get(0);
        String desired =
                DesiredVolume.key(Pod.of(WorldFixture.draft(tree).at(1)), "v").name();
        ControllerFixture node = new ControllerFixture(
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
    void deletedPod_mountNotNotifiedYet_isKept() {
        PodsWithoutRuntime controller = new PodsWithoutRuntime("n1");
        ObjectKey pod = Pod.key("default", "p");

        assertThat(controller
                        .reconcile(WorldFixture.of(DELETED), pod, Instant.EPOCH)
                        .proposals())
                .hasSize(1);
        assertThat(controller
                        .reconcile(WorldFixture.of(DELETED + MOUNTED), pod, Instant.EPOCH)
                        .proposals())
                .isEmpty();
    }

    @Test
    void deletedPod_volumeMountedForOtherPod_isRemoved() {
        ControllerFixture node = new ControllerFixture(new PodsWithoutRuntime("n1"), MOUNTED + DELETED).settle();

        node.put(MOUNTED.replace("name: p, uid: uid-p", "name: q, uid: uid-q")).settle();

        assertThat(node.keys()).containsExactly("actualvolumes.mooring.dev/v");
    }
}
