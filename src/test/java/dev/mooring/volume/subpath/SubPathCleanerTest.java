package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.HostMachine;
import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SubPathCleanerTest {
    @TempDir
    Path temp;

    private SubPathFixture fixture;
    private SubPaths subPaths;

    @BeforeEach
    void node() throws Exception {
        fixture = new SubPathFixture(temp);
        subPaths = fixture.subPaths();
        Files.createDirectories(fixture.volume.resolve("a/inner"));
        Files.writeString(fixture.volume.resolve("a/precious"), "data");
        Files.writeString(fixture.volume.resolve("file"), "data");
    }

    @AfterEach
    void unmountAll() throws Exception {
        if (fixture != null) {
            fixture.close();
        }
    }

    private void prepare(String subPath, String volume, String container, int index) throws Exception {
        subPaths.prepare(SubPathFixture.request(fixture.volume, subPath, volume, container, index, Access.READ_WRITE));
    }

    private void assertNothingLost() throws Exception {
        assertThat(HostMachine.below(fixture.volume)).containsExactly("a", "a/inner", "a/precious", "file");
        assertThat(Files.readString(fixture.volume.resolve("file"))).isEqualTo("data");
    }

    @Test
    void clean_volume_removesItsSubPathsOnly() throws Exception {
        prepare("a", "data", "web", 0);
        prepare("file", "data", "web", 3);
        prepare("a", "data", "proxy", 0);
        prepare("a", "other", "web", 0);
        subPaths.clean(SubPathFixture.POD, "data");
        assertThat(fixture.mounts()).hasSize(1);
        assertThat(fixture.subPathsOfPod().resolve("data")).doesNotExist();
        assertThat(fixture.subPathsOfPod().resolve("other/web/0/precious")).exists();
        subPaths.cleanAll(SubPathFixture.POD);
        assertThat(fixture.mounts()).isEmpty();
        assertThat(fixture.subPathsOfPod()).doesNotExist();
        assertThat(fixture.layout.pod(SubPathFixture.POD)).exists();
        assertNothingLost();
    }

    @Test
    void clean_nothingPrepared_succeeds() throws Exception {
        subPaths.clean(SubPathFixture.POD, "data");
        subPaths.cleanAll("no-such-pod");
        assertThat(fixture.mounter.unmounted).isEmpty();
    }

    @Test
    void clean_notMounted_removesMountPoints() throws Exception {
        Files.createDirectories(fixture.target());
        Files.createFile(fixture.target().resolveSibling("1"));
        subPaths.clean(SubPathFixture.POD, "data");
        assertThat(fixture.subPathsOfPod()).doesNotExist();
        assertThat(fixture.mounter.unmounted).isEmpty();
    }

    @Test
    void clean_stackedMounts_unmountsAll() throws Exception {
        prepare("a", "data", "web", 0);
        HostMachine.run(
                "mount", "--bind", fixture.outside.toString(), fixture.target().toString());
        subPaths.clean(SubPathFixture.POD, "data");
        assertThat(fixture.mounts()).isEmpty();
        assertThat(fixture.subPathsOfPod()).doesNotExist();
        assertThat(fixture.outside.resolve("secret")).exists();
        assertNothingLost();
    }

    @Test
    void clean_mountPointNotEmpty_failsAndKeepsContent() throws Exception {
        Path directory = Files.createDirectories(fixture.target().resolve("inner"));
        assertThatThrownBy(() -> subPaths.clean(SubPathFixture.POD, "data"))
                .hasMessageStartingWith("error deleting " + fixture.target())
                .hasMessageContaining("not empty");
        assertThat(directory).exists();
        Files.delete(directory);
        Files.delete(fixture.target());
        Files.writeString(fixture.target(), "data");
        VolumeException e =
                catchThrowableOfType(VolumeException.class, () -> subPaths.clean(SubPathFixture.POD, "data"));
        assertThat(e).hasMessageContaining("found a file of 4 bytes");
        assertThat(e.failureState()).isEqualTo(VolumeException.FailureState.UNCERTAIN);
        assertThat(fixture.target()).hasContent("data");
    }

    /** The container directory is a link, which must not be followed. */
    @Test
    void clean_linkAsContainerDirectory_fails() throws Exception {
        Files.createDirectories(fixture.subPathsOfPod().resolve("data"));
        Files.createSymbolicLink(fixture.subPathsOfPod().resolve("data/web"), fixture.outside);
        assertThatThrownBy(() -> subPaths.cleanAll(SubPathFixture.POD)).isInstanceOf(VolumeException.class);
        assertThat(fixture.outside.resolve("secret")).exists();
    }

    @Test
    void clean_unmountFails_deletesNothing() throws Exception {
        prepare("a", "data", "web", 0);
        Process holder = new ProcessBuilder("sleep", "600")
                .directory(fixture.target().toFile())
                .start();
        try {
            assertThatThrownBy(() -> subPaths.cleanAll(SubPathFixture.POD)).isInstanceOf(VolumeException.class);
            assertThat(fixture.mounts()).hasSize(1);
            assertNothingLost();
        } finally {
            holder.destroyForcibly().waitFor();
        }
        subPaths.cleanAll(SubPathFixture.POD);
        assertNothingLost();
    }
}
