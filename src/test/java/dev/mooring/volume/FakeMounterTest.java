package dev.mooring.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@link FakeMounter}. */
class FakeMounterTest {
    private static final NodeLayout LAYOUT = new NodeLayout(Path.of("/own"));
    private static final Path TARGET = LAYOUT.volume("u", "kubernetes.io/nfs", "pv");

    private final FakeMounter mounter = FakeMounter.inMemory(LAYOUT);

    private void mount() throws VolumeException {
        mounter.mount(new MountCommand("nfs4", "nas:/x", TARGET, List.of("vers=4.2"), Duration.ofSeconds(1)));
    }

    private void unmount() throws VolumeException {
        mounter.unmount(TARGET, UnmountTimeouts.REMOTE, OperationProgress.NO_OP);
    }

    @Test
    void mounter_recordsCallsAndMounts() throws VolumeException {
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
    void removeDirectory_siblingInUse_keepsParents() throws VolumeException {
        Path other = LAYOUT.volume("u", "kubernetes.io/nfs", "other");
        mounter.makeDirectory(TARGET);
        mounter.makeDirectory(other);
        mounter.removeDirectory(TARGET);
        assertThat(mounter.directories()).contains("pods/u/volumes/kubernetes.io~nfs/other");
        mounter.removeDirectory(other);
        assertThat(mounter.directories()).containsExactly(".", "pods", "pods/u");
    }

    @Test
    void mounter_injectedFailure_failsOnce() throws VolumeException {
        VolumeException failure = VolumeException.clean("Refused", "no");
        mounter.makeDirectory(TARGET);
        mounter.failNextMount(TARGET, failure);
        assertThatThrownBy(this::mount).isSameAs(failure);
        assertThat(mounter.mounted()).isEmpty();
        mounter.halfSucceedNextMount(TARGET, failure);
        assertThatThrownBy(this::mount).isSameAs(failure);
        assertThat(mounter.mounted()).hasSize(1);
        mounter.hangNextUnmount(TARGET);
        assertThatThrownBy(this::unmount).isInstanceOf(VolumeException.class);
        assertThat(mounter.mounted()).hasSize(1);
        mounter.halfSucceedNextUnmount(TARGET, failure);
        assertThatThrownBy(this::unmount).isSameAs(failure);
        assertThat(mounter.mounted()).isEmpty();
        mount();
        assertThat(mounter.mounted()).hasSize(1);
    }

    @Test
    void mounter_removalAboveMountOrMissingMountPoint_throwsAssertionError() throws VolumeException {
        assertThatThrownBy(this::mount).isInstanceOf(AssertionError.class);
        mounter.makeDirectory(TARGET);
        mount();
        assertThatThrownBy(() -> mounter.removeDirectory(TARGET)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> mounter.removeDirectory(TARGET.getParent())).isInstanceOf(AssertionError.class);
    }

    @Test
    void onDisk_createsRealDirectories(@TempDir Path dir) throws Exception {
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
