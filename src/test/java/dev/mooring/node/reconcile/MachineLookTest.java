package dev.mooring.node.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.FakeMounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is seen of this machine's disk. */
final class MachineLookTest {
    @TempDir
    Path temporary;

    private NodeLayout layout;

    @BeforeEach
    void prepare() throws IOException {
        layout = new NodeLayout(temporary.toRealPath());
    }

    private Machine look() throws VolumeException {
        return new MachineLook(layout, FakeMounter.inMemory(layout)).take();
    }

    @Test
    void findsNothingWhereNothingIs() throws VolumeException {
        assertThat(look().volumes()).isEmpty();
        assertThat(look().shared()).isEmpty();
    }

    @Test
    void findsVolumesAndDevicesOfPodsByTheirNames() throws Exception {
        Path volume = Files.createDirectories(layout.volume("u", "kubernetes.io/nfs", "v"));
        Path device = layout.device("u", "kubernetes.io/csi", "pv");
        Files.createDirectories(device.getParent());
        Files.createFile(device);
        Files.createDirectories(layout.podPlugin("u", "kubernetes.io/empty-dir", "v"));

        assertThat(look().volumes())
                .containsExactlyInAnyOrder(
                        new Machine.Found("u", "kubernetes.io/nfs", "v", volume),
                        new Machine.Found("u", "kubernetes.io/csi", "pv", device));
    }

    @Test
    void findsPlacesForAllPods() throws Exception {
        Path shared = Files.createDirectories(layout.shared("kubernetes.io/csi", "pv"));
        Files.createDirectories(layout.root().resolve("plugins/kubernetes.io/csi/other/pv"));
        Files.createFile(layout.root().resolve("plugins/file"));

        assertThat(look().shared()).containsExactly(new Machine.Shared("kubernetes.io/csi", "pv", shared));
    }

    @Test
    void followsNoLinks() throws Exception {
        Path elsewhere = Files.createDirectories(layout.root().resolve("elsewhere/volumes/kubernetes.io~nfs/v"));
        Files.createDirectories(layout.pods());
        Files.createSymbolicLink(
                layout.pods().resolve("u"), elsewhere.getParent().getParent().getParent());
        Files.createSymbolicLink(layout.root().resolve("plugins"), layout.root().resolve("elsewhere"));

        assertThat(look().volumes()).isEmpty();
        assertThat(look().shared()).isEmpty();
    }
}
