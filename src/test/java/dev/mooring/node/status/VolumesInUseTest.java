package dev.mooring.node.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import org.junit.jupiter.api.Test;

final class VolumesInUseTest {
    private static final String VOLUME = "kubernetes.io/csi/block.mooring.dev^h1";
    private static final String NODE = "{kind: Node, metadata: {name: n1}, status: {kept: 1}}\n---\n";

    private static String desired(String node, String volume) {
        return "{apiVersion: mooring.dev/v1, kind: DesiredVolume, metadata: {name: d}, spec: {node: " + node
                + ", volume: '" + volume + "'}}";
    }

    private static String actual(String status) {
        return "{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: a}, spec: {node: n1, volume: '"
                + VOLUME + "'}, status: " + status + "}";
    }

    private static String nodeStatus(ControllerFixture world) {
        return WorldFixture.tree(world.world(), "nodes/n1").path("status").toString();
    }

    @Test
    void volumesInUse_desiredOrMountedVolume_isListed() {
        ControllerFixture world = new ControllerFixture(new VolumesInUse("n1"), NODE + desired("n1", VOLUME)).settle();
        assertThat(nodeStatus(world)).isEqualTo("{\"kept\":1,\"volumesInUse\":[\"" + VOLUME + "\"]}");

        world.put(actual("{deviceMount: Mounted}"))
                .remove("desiredvolumes.mooring.dev/d")
                .settle();
        assertThat(nodeStatus(world)).contains(VOLUME);
    }

    /** A listed volume would never be detached. */
    @Test
    void volumesInUse_onlyAttachedVolume_isNotListed() {
        ControllerFixture world =
                new ControllerFixture(new VolumesInUse("n1"), NODE + actual("{attachment: Attached}")).settle();

        assertThat(nodeStatus(world)).isEqualTo("{\"kept\":1}");
    }

    @Test
    void volumesInUse_otherNodeOrNotAttachable_isNotListed() {
        ControllerFixture world = new ControllerFixture(
                        new VolumesInUse("n1"),
                        NODE + desired("n2", VOLUME) + "\n---\n" + desired("n1", "kubernetes.io/nfs/x"))
                .settle();

        assertThat(nodeStatus(world)).isEqualTo("{\"kept\":1}");
        assertThat(world.reconciles()).isEqualTo(1);
    }
}
