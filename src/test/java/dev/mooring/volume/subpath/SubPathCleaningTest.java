package dev.mooring.volume.subpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SubPathCleaningTest {
    @TempDir
    Path temp;

    private SubPathBench bench;
    private SubPaths subPaths;

    @BeforeEach
    void node() throws Exception {
        bench = new SubPathBench(temp);
        subPaths = bench.subPaths();
        Files.createDirectories(bench.volume.resolve("a/inner"));
        Files.writeString(bench.volume.resolve("a/precious"), "data");
        Files.writeString(bench.volume.resolve("file"), "data");
    }

    @AfterEach
    void unmountAll() throws Exception {
        if (bench != null) {
            bench.close();
        }
    }

    private void set(String subPath, String volume, String container, int index) throws Exception {
        subPaths.set(SubPathBench.request(bench.volume, subPath, volume, container, index, Access.READ_WRITE));
    }

    private void assertNothingLost() throws Exception {
        assertThat(Machine.below(bench.volume)).containsExactly("a", "a/inner", "a/precious", "file");
        assertThat(Files.readString(bench.volume.resolve("file"))).isEqualTo("data");
    }

    @Test
    void takesEverythingOfAVolumeAwayAndLeavesTheOthers() throws Exception {
        set("a", "data", "web", 0);
        set("file", "data", "web", 3);
        set("a", "data", "proxy", 0);
        set("a", "other", "web", 0);
        subPaths.clean(SubPathBench.POD, "data");
        assertThat(bench.mounts()).hasSize(1);
        assertThat(bench.subPathsOfPod().resolve("data")).doesNotExist();
        assertThat(bench.subPathsOfPod().resolve("other/web/0/precious")).exists();
        subPaths.cleanAll(SubPathBench.POD);
        assertThat(bench.mounts()).isEmpty();
        assertThat(bench.subPathsOfPod()).doesNotExist();
        assertThat(bench.layout.pod(SubPathBench.POD)).exists();
        assertNothingLost();
    }

    @Test
    void isContentWhenNothingIsThere() throws Exception {
        subPaths.clean(SubPathBench.POD, "data");
        subPaths.cleanAll("no-such-pod");
        assertThat(bench.mounter.unmounted).isEmpty();
    }

    @Test
    void removesWhatIsNotMountedAnyMore() throws Exception {
        Files.createDirectories(bench.target());
        Files.createFile(bench.target().resolveSibling("1"));
        subPaths.clean(SubPathBench.POD, "data");
        assertThat(bench.subPathsOfPod()).doesNotExist();
        assertThat(bench.mounter.unmounted).isEmpty();
    }

    @Test
    void unmountsWhatLiesOverAnother() throws Exception {
        set("a", "data", "web", 0);
        Machine.run("mount", "--bind", bench.outside.toString(), bench.target().toString());
        subPaths.clean(SubPathBench.POD, "data");
        assertThat(bench.mounts()).isEmpty();
        assertThat(bench.subPathsOfPod()).doesNotExist();
        assertThat(bench.outside.resolve("secret")).exists();
        assertNothingLost();
    }

    @Test
    void leavesWhatIsNotEmpty() throws Exception {
        Path directory = Files.createDirectories(bench.target().resolve("inner"));
        assertThatThrownBy(() -> subPaths.clean(SubPathBench.POD, "data"))
                .hasMessageStartingWith("error deleting " + bench.target())
                .hasMessageContaining("not empty");
        assertThat(directory).exists();
        Files.delete(directory);
        Files.delete(bench.target());
        Files.writeString(bench.target(), "data");
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> subPaths.clean(SubPathBench.POD, "data"));
        assertThat(e).hasMessageContaining("found a file of 4 bytes");
        assertThat(e.left()).isEqualTo(VolumeException.Left.PERHAPS_SOMETHING);
        assertThat(bench.target()).hasContent("data");
    }

    /** A container directory that is a link: not ours, not followed. */
    @Test
    void followsNoLink() throws Exception {
        Files.createDirectories(bench.subPathsOfPod().resolve("data"));
        Files.createSymbolicLink(bench.subPathsOfPod().resolve("data/web"), bench.outside);
        assertThatThrownBy(() -> subPaths.cleanAll(SubPathBench.POD)).isInstanceOf(VolumeException.class);
        assertThat(bench.outside.resolve("secret")).exists();
    }

    @Test
    void deletesNothingWhenUnmountingFails() throws Exception {
        set("a", "data", "web", 0);
        Process holder = new ProcessBuilder("sleep", "600")
                .directory(bench.target().toFile())
                .start();
        try {
            assertThatThrownBy(() -> subPaths.cleanAll(SubPathBench.POD)).isInstanceOf(VolumeException.class);
            assertThat(bench.mounts()).hasSize(1);
            assertNothingLost();
        } finally {
            holder.destroyForcibly().waitFor();
        }
        subPaths.cleanAll(SubPathBench.POD);
        assertNothingLost();
    }
}
