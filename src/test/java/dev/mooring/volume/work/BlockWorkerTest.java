package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.BlockSource;
import dev.mooring.model.view.VolumeOperation.OperationType;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.HostInspector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockWorkerTest {
    private static final long MEBI = VolumeWorkFixture.MEBI;
    private static final VolumeWork WORK = VolumeWorkFixture.provision(BlockSource.PROVISIONER, "pv-a", Map.of());

    @TempDir
    Path temp;

    private VolumeWorkFixture fixture;
    private Path image;

    @BeforeEach
    void node() throws IOException {
        fixture = new VolumeWorkFixture(temp);
        image = fixture.base("block").resolve("pv-a.img");
    }

    private static VolumeWorkException failure(VolumeWorkers workers, VolumeWork work) {
        VolumeWorkException e = catchThrowableOfType(VolumeWorkException.class, () -> workers.perform(work));
        assertThat(e).as("failure of %s", work).isNotNull();
        return e;
    }

    private static VolumeWork grow(long bytes, VolumeWorkResult provisioned) {
        return VolumeWorkFixture.sized(bytes, VolumeWorkFixture.then(OperationType.GROW, WORK, provisioned.source()));
    }

    @Test
    void provision_createsSparseImageOfRequestedSize() throws Exception {
        VolumeWorkResult provisioned = fixture.workers.perform(VolumeWorkFixture.sized(100 * MEBI, WORK));
        assertThat(provisioned.bytes()).isEqualTo(100 * MEBI);
        assertThat(provisioned.source().orElseThrow())
                .hasToString("{\"csi\":{\"driver\":\"block.mooring.dev\",\"volumeHandle\":\"" + VolumeWorkFixture.UID
                        + "\",\"fsType\":\"ext4\",\"volumeAttributes\":{\"image\":\"" + image + "\"}}}");
        assertThat(image).hasSize(100 * MEBI);
        assertThat(HostMachine.permissions(image)).isEqualTo("600");
        assertThat(Integer.parseInt(HostMachine.run("stat", "-c", "%b", image.toString())))
                .isLessThan(100);
        assertThat(fixture.workers.perform(VolumeWorkFixture.sized(100 * MEBI, WORK)))
                .isEqualTo(provisioned);
    }

    @Test
    void provision_sizeIsRoundedUpToSectors() throws Exception {
        assertThat(fixture.workers
                        .perform(VolumeWorkFixture.sized(100_000, WORK))
                        .bytes())
                .isEqualTo(100_352);
        assertThat(failure(fixture.workers, VolumeWorkFixture.sized(0, WORK)).reason())
                .isEqualTo(VolumeWorkException.INVALID);
    }

    @Test
    void provision_imagesExceedFileSystem_failsUnlessOvercommit() throws Exception {
        VolumeWorkers workers = fixture.workers(
                SystemCalls.real(), path -> new FileSystemSpace(20 * MEBI, 10 * MEBI), new ChildProcess());
        workers.perform(VolumeWorkFixture.sized(6 * MEBI, WORK));
        VolumeWork second = VolumeWorkFixture.as(
                "pv-b",
                VolumeWorkFixture.OTHER_UID,
                VolumeWorkFixture.provision(BlockSource.PROVISIONER, "pv-b", Map.of()));
        VolumeWorkException e = failure(workers, VolumeWorkFixture.sized(5 * MEBI, second));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.NO_SPACE);
        assertThat(e)
                .hasMessageContaining("Not enough space for 5Mi in " + fixture.base("block"))
                .hasMessageContaining("file system of 20Mi has 10Mi for images (10Mi are reserved or in other use)")
                .hasMessageContaining("1 other images have reserved 6Mi; 1Mi are missing");
        assertThat(HostMachine.below(fixture.base("block")))
                .containsExactly(".mooring", ".mooring/" + VolumeWorkFixture.UID, "pv-a.img");
        workers.perform(VolumeWorkFixture.sized(4 * MEBI, second));
        VolumeWork third = VolumeWorkFixture.provision(BlockSource.PROVISIONER, "pv-c", Map.of("overcommit", "true"));
        workers.perform(VolumeWorkFixture.sized(50 * MEBI, VolumeWorkFixture.as("pv-c", "c", third)));
        assertThat(fixture.base("block").resolve("pv-c.img")).hasSize(50 * MEBI);
    }

    @Test
    void provision_exceedsRealFileSystem_fails() throws IOException {
        long tooMuch = fixture.root.toFile().getTotalSpace() + MEBI;
        assertThat(failure(fixture.workers, VolumeWorkFixture.sized(tooMuch, WORK))
                        .reason())
                .isEqualTo(VolumeWorkException.NO_SPACE);
        assertThat(image).doesNotExist();
    }

    @Test
    void grow_neverShrinksAndChecksSpace() throws Exception {
        VolumeWorkResult provisioned = fixture.workers.perform(VolumeWorkFixture.sized(8 * MEBI, WORK));
        assertThat(fixture.workers.perform(grow(16 * MEBI, provisioned)).bytes())
                .isEqualTo(16 * MEBI);
        VolumeWorkResult again = fixture.workers.perform(grow(4 * MEBI, provisioned));
        assertThat(again.bytes()).isEqualTo(16 * MEBI);
        assertThat(again.isFileSystemResizePending()).isFalse();
        VolumeWorkers small = fixture.workers(
                SystemCalls.real(), path -> new FileSystemSpace(20 * MEBI, 20 * MEBI), new ChildProcess());
        assertThat(failure(small, grow(21 * MEBI, provisioned)).reason()).isEqualTo(VolumeWorkException.NO_SPACE);
        assertThat(image).hasSize(16 * MEBI);
        VolumeWork other = VolumeWorkFixture.as("pv-a", VolumeWorkFixture.OTHER_UID, grow(20 * MEBI, provisioned));
        assertThat(failure(fixture.workers, other).reason()).isEqualTo(VolumeWorkException.UNMARKED);
    }

    @Test
    void grow_unusedExt4_growsFileSystem() throws Exception {
        VolumeWorkResult provisioned = fixture.workers.perform(VolumeWorkFixture.sized(16 * MEBI, WORK));
        HostMachine.run("/usr/sbin/mkfs.ext4", "-q", image.toString());
        VolumeWorkResult grown = fixture.workers.perform(grow(64 * MEBI, provisioned));
        assertThat(grown.isFileSystemResizePending()).isFalse();
        assertThat(fixture.workers.perform(grow(64 * MEBI, provisioned))).isEqualTo(grown);
        assertThat(blocks()).isEqualTo(64 * MEBI);
    }

    private long blocks() throws Exception {
        String all = HostMachine.run("/usr/sbin/dumpe2fs", "-h", image.toString());
        return number(all, "Block count:") * number(all, "Block size:");
    }

    private static long number(String text, String label) {
        String line =
                text.lines().filter(each -> each.startsWith(label)).findFirst().orElseThrow();
        return Long.parseLong(line.substring(label.length()).strip());
    }

    @Test
    void image_attached_growsButIsNotDeleted() throws Exception {
        HostMachine.assumeRoot();
        assumeTrue(Files.exists(Path.of("/dev/loop-control")), "this kernel has no loop devices");
        VolumeWorkResult provisioned = fixture.workers.perform(VolumeWorkFixture.sized(16 * MEBI, WORK));
        HostMachine.run("/usr/sbin/mkfs.ext4", "-q", image.toString());
        String device = HostMachine.run("/usr/sbin/losetup", "--find", "--show", image.toString());
        Path point = Files.createDirectory(fixture.root.resolve("point"));
        try {
            assertThat(fixture.workers.perform(grow(24 * MEBI, provisioned)).isFileSystemResizePending())
                    .as("attached, not mounted")
                    .isTrue();
            HostMachine.run("mount", device, point.toString());
            try {
                VolumeWorkResult grown = fixture.workers.perform(grow(64 * MEBI, provisioned));
                assertThat(grown.bytes()).isEqualTo(64 * MEBI);
                assertThat(grown.isFileSystemResizePending()).isEqualTo(!mayGrowMounted());
                assertThat(point.toFile().getTotalSpace() > 48 * MEBI).isEqualTo(mayGrowMounted());
            } finally {
                HostMachine.run("umount", point.toString());
            }
            VolumeWorkException e =
                    failure(fixture.workers, VolumeWorkFixture.then(OperationType.DELETE, WORK, provisioned.source()));
            assertThat(e.reason()).isEqualTo(VolumeWorkException.IN_USE);
            assertThat(e).hasMessageContaining(device);
        } finally {
            HostMachine.run("/usr/sbin/losetup", "--detach", device);
        }
        // The kernel detaches it later if another process, such as a losetup of another test, has it open.
        ConditionPoller.until(
                () -> new HostInspector(fixture.root).loopDevices().isEmpty());
        fixture.delete(WORK, provisioned);
        assertThat(HostMachine.below(fixture.base("block"))).containsExactly(".mooring");
    }

    /** Returns whether this process has CAP_SYS_RESOURCE, which root in a container or sandbox may lack. */
    private static boolean mayGrowMounted() throws IOException {
        String status = Files.readString(Path.of("/proc/self/status"));
        String line = status.lines()
                .filter(each -> each.startsWith("CapEff:"))
                .findFirst()
                .orElseThrow();
        return (Long.parseLong(line.substring("CapEff:".length()).strip(), 16) >> 24 & 1) == 1;
    }

    @Test
    void grow_otherFileSystem_leavesResizePending() throws Exception {
        VolumeWorkResult provisioned = fixture.workers.perform(VolumeWorkFixture.sized(16 * MEBI, WORK));
        HostMachine.run("/usr/sbin/mkswap", image.toString());
        assertThat(fixture.workers.perform(grow(32 * MEBI, provisioned)).isFileSystemResizePending())
                .isTrue();
    }

    @Test
    void delete_foreignFile_isKept() throws Exception {
        Files.createDirectories(image.getParent());
        Files.createFile(image);
        assertThat(failure(fixture.workers, WORK).reason()).isEqualTo(VolumeWorkException.OCCUPIED);
        fixture.workers.perform(VolumeWorkFixture.then(OperationType.DELETE, WORK, Optional.empty()));
        assertThat(image).exists();
    }
}
