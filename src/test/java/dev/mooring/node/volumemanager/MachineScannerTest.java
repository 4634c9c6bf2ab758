package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the scan of the node's directories on a real file system. */
final class MachineScannerTest {
    @TempDir
    Path temporary;

    private NodeLayout layout;

    @BeforeEach
    void prepare() throws IOException {
        layout = new NodeLayout(temporary.toRealPath());
    }

    private ObservedMachine scan() throws VolumeException {
        return new MachineScanner(layout, FakeMounter.inMemory(layout)).observe();
    }

    @Test
    void scan_emptyRoot_findsNothing() throws VolumeException {
        assertThat(scan().volumes()).isEmpty();
        assertThat(scan().globalMounts()).isEmpty();
    }

    @Test
    void scan_podDirectories_findsVolumesAndDevices() throws Exception {
        Path volume = Files.createDirectories(layout.volume("u", "kubernetes.io/nfs", "v"));
        Path device = layout.device("u", "kubernetes.io/csi", "pv");
        Files.createDirectories(device.getParent());
        Files.createFile(device);
        Files.createDirectories(layout.podPlugin("u", "kubernetes.io/empty-dir", "v"));

        assertThat(scan().volumes())
                .containsExactlyInAnyOrder(
                        new ObservedMachine.FoundVolume("u", "kubernetes.io/nfs", "v", volume),
                        new ObservedMachine.FoundVolume("u", "kubernetes.io/csi", "pv", device));
    }

    @Test
    void scan_pluginDirectories_findsGlobalMounts() throws Exception {
        Path shared = Files.createDirectories(layout.globalMount("kubernetes.io/csi", "pv"));
        Files.createDirectories(layout.root().resolve("plugins/kubernetes.io/csi/other/pv"));
        Files.createFile(layout.root().resolve("plugins/file"));

        assertThat(scan().globalMounts())
                .containsExactly(new ObservedMachine.FoundGlobalMount("kubernetes.io/csi", "pv", shared));
    }

    @Test
    void scan_symbolicLinks_areNotFollowed() throws Exception {
        Path elsewhere = Files.createDirectories(layout.root().resolve("elsewhere/volumes/kubernetes.io~nfs/v"));
        Files.createDirectories(layout.pods());
        Files.createSymbolicLink(
                layout.pods().resolve("u"), elsewhere.getParent().getParent().getParent());
        Files.createSymbolicLink(layout.root().resolve("plugins"), layout.root().resolve("elsewhere"));

        assertThat(scan().volumes()).isEmpty();
        assertThat(scan().globalMounts()).isEmpty();
    }
}
