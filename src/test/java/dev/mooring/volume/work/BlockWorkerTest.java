package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockWorkerTest {
    private static final long MEBI = Bench.MEBI;
    private static final VolumeWork WORK = Bench.provision(StorageNames.BLOCK_PROVISIONER, "pv-a", Map.of());

    @TempDir
    Path temp;

    private Bench bench;
    private Path image;

    @BeforeEach
    void node() throws IOException {
        bench = new Bench(temp);
        image = bench.base("block").resolve("pv-a.img");
    }

    private static VolumeWorkException failure(VolumeWorkers workers, VolumeWork work) {
        VolumeWorkException e = catchThrowableOfType(VolumeWorkException.class, () -> workers.perform(work));
        assertThat(e).as("failure of %s", work).isNotNull();
        return e;
    }

    private static VolumeWork grow(long bytes, WorkDone made) {
        return Bench.sized(bytes, Bench.then(Work.GROW, WORK, made.source()));
    }

    @Test
    void makesAnImageOfExactlyTheSizeThatTakesNoSpace() throws Exception {
        WorkDone made = bench.workers.perform(Bench.sized(100 * MEBI, WORK));
        assertThat(made.bytes()).isEqualTo(100 * MEBI);
        assertThat(made.source().orElseThrow())
                .hasToString("{\"csi\":{\"driver\":\"block.mooring.dev\",\"volumeHandle\":\"" + Bench.UID
                        + "\",\"fsType\":\"ext4\",\"volumeAttributes\":{\"image\":\"" + image + "\"}}}");
        assertThat(image).hasSize(100 * MEBI);
        assertThat(Machine.permissions(image)).isEqualTo("600");
        assertThat(Integer.parseInt(Machine.run("stat", "-c", "%b", image.toString())))
                .isLessThan(100);
        assertThat(bench.workers.perform(Bench.sized(100 * MEBI, WORK))).isEqualTo(made);
    }

    @Test
    void roundsUpToWholeSectors() throws Exception {
        assertThat(bench.workers.perform(Bench.sized(100_000, WORK)).bytes()).isEqualTo(100_352);
        assertThat(failure(bench.workers, Bench.sized(0, WORK)).reason()).isEqualTo(VolumeWorkException.INVALID);
    }

    @Test
    void promisesNoMoreThanTheFileSystemCouldGive() throws Exception {
        VolumeWorkers workers = bench.workers(
                SystemCalls.real(), path -> new FileSystemSpace(20 * MEBI, 10 * MEBI), new ChildProcess());
        workers.perform(Bench.sized(6 * MEBI, WORK));
        VolumeWork second =
                Bench.as("pv-b", Bench.OTHER_UID, Bench.provision(StorageNames.BLOCK_PROVISIONER, "pv-b", Map.of()));
        VolumeWorkException e = failure(workers, Bench.sized(5 * MEBI, second));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.NO_SPACE);
        assertThat(e)
                .hasMessageContaining("Expected room for 5Mi in " + bench.base("block"))
                .hasMessageContaining("file system of 20Mi has 10Mi for images (10Mi are reserved or used by others)")
                .hasMessageContaining("1 other images promise 6Mi of that already: 1Mi are missing");
        assertThat(Machine.below(bench.base("block"))).containsExactly(".mooring", ".mooring/" + Bench.UID, "pv-a.img");
        workers.perform(Bench.sized(4 * MEBI, second));
        VolumeWork third = Bench.provision(StorageNames.BLOCK_PROVISIONER, "pv-c", Map.of("overcommit", "true"));
        workers.perform(Bench.sized(50 * MEBI, Bench.as("pv-c", "c", third)));
        assertThat(bench.base("block").resolve("pv-c.img")).hasSize(50 * MEBI);
    }

    @Test
    void promisesNoMoreThanTheRealFileSystemHas() throws IOException {
        long tooMuch = bench.root.toFile().getTotalSpace() + MEBI;
        assertThat(failure(bench.workers, Bench.sized(tooMuch, WORK)).reason()).isEqualTo(VolumeWorkException.NO_SPACE);
        assertThat(image).doesNotExist();
    }

    @Test
    void growsButNeverShrinksAndNeverPromisesTooMuch() throws Exception {
        WorkDone made = bench.workers.perform(Bench.sized(8 * MEBI, WORK));
        assertThat(bench.workers.perform(grow(16 * MEBI, made)).bytes()).isEqualTo(16 * MEBI);
        WorkDone again = bench.workers.perform(grow(4 * MEBI, made));
        assertThat(again.bytes()).isEqualTo(16 * MEBI);
        assertThat(again.isFileSystemResizePending()).isFalse();
        VolumeWorkers small = bench.workers(
                SystemCalls.real(), path -> new FileSystemSpace(20 * MEBI, 20 * MEBI), new ChildProcess());
        assertThat(failure(small, grow(21 * MEBI, made)).reason()).isEqualTo(VolumeWorkException.NO_SPACE);
        assertThat(image).hasSize(16 * MEBI);
        VolumeWork other = Bench.as("pv-a", Bench.OTHER_UID, grow(20 * MEBI, made));
        assertThat(failure(bench.workers, other).reason()).isEqualTo(VolumeWorkException.UNMARKED);
    }

    @Test
    void growsAnUnusedExt4() throws Exception {
        WorkDone made = bench.workers.perform(Bench.sized(16 * MEBI, WORK));
        Machine.run("/usr/sbin/mkfs.ext4", "-q", image.toString());
        WorkDone grown = bench.workers.perform(grow(64 * MEBI, made));
        assertThat(grown.isFileSystemResizePending()).isFalse();
        assertThat(bench.workers.perform(grow(64 * MEBI, made))).isEqualTo(grown);
        assertThat(blocks()).isEqualTo(64 * MEBI);
    }

    private long blocks() throws Exception {
        String all = Machine.run("/usr/sbin/dumpe2fs", "-h", image.toString());
        return number(all, "Block count:") * number(all, "Block size:");
    }

    private static long number(String text, String label) {
        String line =
                text.lines().filter(each -> each.startsWith(label)).findFirst().orElseThrow();
        return Long.parseLong(line.substring(label.length()).strip());
    }

    @Test
    void growsAMountedExt4AndDeletesNothingWhileItIsAttached() throws Exception {
        Machine.assumeRoot();
        assumeTrue(Files.exists(Path.of("/dev/loop-control")), "this kernel has no loop devices");
        WorkDone made = bench.workers.perform(Bench.sized(16 * MEBI, WORK));
        Machine.run("/usr/sbin/mkfs.ext4", "-q", image.toString());
        String device = Machine.run("/usr/sbin/losetup", "--find", "--show", image.toString());
        Path point = Files.createDirectory(bench.root.resolve("point"));
        try {
            assertThat(bench.workers.perform(grow(24 * MEBI, made)).isFileSystemResizePending())
                    .as("attached, not mounted")
                    .isTrue();
            Machine.run("mount", device, point.toString());
            try {
                WorkDone grown = bench.workers.perform(grow(64 * MEBI, made));
                assertThat(grown.bytes()).isEqualTo(64 * MEBI);
                assertThat(grown.isFileSystemResizePending()).isEqualTo(!mayGrowMounted());
                assertThat(point.toFile().getTotalSpace() > 48 * MEBI).isEqualTo(mayGrowMounted());
            } finally {
                Machine.run("umount", point.toString());
            }
            VolumeWorkException e = failure(bench.workers, Bench.then(Work.DELETE, WORK, made.source()));
            assertThat(e.reason()).isEqualTo(VolumeWorkException.IN_USE);
            assertThat(e).hasMessageContaining(device);
        } finally {
            Machine.run("/usr/sbin/losetup", "--detach", device);
        }
        bench.delete(WORK, made);
        assertThat(Machine.below(bench.base("block"))).containsExactly(".mooring");
    }

    /** CAP_SYS_RESOURCE, which root in a container or sandbox may lack. */
    private static boolean mayGrowMounted() throws IOException {
        String status = Files.readString(Path.of("/proc/self/status"));
        String line = status.lines()
                .filter(each -> each.startsWith("CapEff:"))
                .findFirst()
                .orElseThrow();
        return (Long.parseLong(line.substring("CapEff:".length()).strip(), 16) >> 24 & 1) == 1;
    }

    @Test
    void leavesOtherFileSystemsToWhoeverMountsThem() throws Exception {
        WorkDone made = bench.workers.perform(Bench.sized(16 * MEBI, WORK));
        Machine.run("/usr/sbin/mkswap", image.toString());
        assertThat(bench.workers.perform(grow(32 * MEBI, made)).isFileSystemResizePending())
                .isTrue();
    }

    @Test
    void neverDeletesAFileItHasNotMade() throws Exception {
        Files.createDirectories(image.getParent());
        Files.createFile(image);
        assertThat(failure(bench.workers, WORK).reason()).isEqualTo(VolumeWorkException.OCCUPIED);
        bench.workers.perform(Bench.then(Work.DELETE, WORK, Optional.empty()));
        assertThat(image).exists();
    }
}
