package dev.mooring.volume.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who tests with a fake must be able to rely on it. */
class FakeMounterTest {
    private static final NodeLayout LAYOUT = new NodeLayout(Path.of("/own"));
    private static final Path TARGET = LAYOUT.volume("u", "kubernetes.io/nfs", "pv");

    private final FakeMounter mounter = FakeMounter.inMemory(LAYOUT);

    private void mount() throws VolumeException {
        mounter.mount(new MountCommand("nfs4", "nas:/x", TARGET, List.of("vers=4.2"), Duration.ofSeconds(1)));
    }

    private void unmount() throws VolumeException {
        mounter.unmount(TARGET, UnmountLimits.REMOTE, Progress.IGNORED);
    }

    @Test
    void writesDownWhatWasAskedForAndWhatCameOfIt() throws VolumeException {
        mounter.makeDirectory(TARGET);
        mount();
        assertThat(mounter.mounted()).containsExactly("pods/u/volumes/kubernetes.io~nfs/pv nfs4 nas:/x vers=4.2");
        assertThat(mounter.isMountPoint(TARGET)).isTrue();
        unmount();
        mounter.removeDirectory(TARGET);
        mounter.bind(Path.of("/srv"), TARGET, Access.READ_ONLY);
        assertThat(mounter.mounted()).containsExactly("pods/u/volumes/kubernetes.io~nfs/pv bind /srv ro");
        assertThat(mounter.calls())
                .containsExactly(
                        "makeDirectory pods/u/volumes/kubernetes.io~nfs/pv",
                        "mount nfs4 nas:/x at pods/u/volumes/kubernetes.io~nfs/pv vers=4.2",
                        "unmount pods/u/volumes/kubernetes.io~nfs/pv",
                        "removeDirectory pods/u/volumes/kubernetes.io~nfs/pv",
                        "bind /srv at pods/u/volumes/kubernetes.io~nfs/pv ro");
    }

    @Test
    void keepsThePodsDirectoryAndThoseInUse() throws VolumeException {
        Path other = LAYOUT.volume("u", "kubernetes.io/nfs", "other");
        mounter.makeDirectory(TARGET);
        mounter.makeDirectory(other);
        mounter.removeDirectory(TARGET);
        assertThat(mounter.directories()).contains("pods/u/volumes/kubernetes.io~nfs/other");
        mounter.removeDirectory(other);
        assertThat(mounter.directories()).containsExactly(".", "pods", "pods/u");
    }

    @Test
    void breaksOnceWhenTold() throws VolumeException {
        VolumeException trouble = VolumeException.clean("Refused", "no");
        mounter.makeDirectory(TARGET);
        mounter.failNextMount(TARGET, trouble);
        assertThatThrownBy(this::mount).isSameAs(trouble);
        assertThat(mounter.mounted()).isEmpty();
        mounter.halfSucceedNextMount(TARGET, trouble);
        assertThatThrownBy(this::mount).isSameAs(trouble);
        assertThat(mounter.mounted()).hasSize(1);
        mounter.hangNextUnmount(TARGET);
        assertThatThrownBy(this::unmount).isInstanceOf(VolumeException.class);
        assertThat(mounter.mounted()).hasSize(1);
        mounter.halfSucceedNextUnmount(TARGET, trouble);
        assertThatThrownBy(this::unmount).isSameAs(trouble);
        assertThat(mounter.mounted()).isEmpty();
        mount();
        assertThat(mounter.mounted()).hasSize(1);
    }

    @Test
    void failsTheTestOfWhoRemovesAboveAMountOrMountsOnNothing() throws VolumeException {
        assertThatThrownBy(this::mount).isInstanceOf(AssertionError.class);
        mounter.makeDirectory(TARGET);
        mount();
        assertThatThrownBy(() -> mounter.removeDirectory(TARGET)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> mounter.removeDirectory(TARGET.getParent())).isInstanceOf(AssertionError.class);
    }

    @Test
    void makesRealDirectoriesIfAskedTo(@TempDir Path dir) throws Exception {
        NodeLayout layout = new NodeLayout(dir.toRealPath().resolve("root"));
        FakeMounter real = FakeMounter.onDisk(layout);
        Path target = layout.volume("u", "kubernetes.io/empty-dir", "v");
        real.makeDirectory(target);
        Files.writeString(target.resolve("file"), "x");
        assertThatThrownBy(() -> real.removeDirectory(target))
                .isInstanceOfSatisfying(
                        VolumeException.class, e -> assertThat(e.reason()).isEqualTo("NotEmpty"));
        Files.delete(target.resolve("file"));
        real.removeDirectory(target);
        assertThat(layout.pod("u")).isEmptyDirectory();
    }
}
