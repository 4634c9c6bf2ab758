package dev.mooring.volume.block;

import static dev.mooring.volume.block.LoopBench.MEBI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileSystemsTest {
    @TempDir
    Path temp;

    private final FileSystems fileSystems = new FileSystems(new ChildProcess());
    private LoopBench bench;

    @BeforeEach
    void machine() throws IOException {
        bench = new LoopBench(temp);
    }

    @AfterEach
    void nothingStays() throws Exception {
        bench.close();
        assertThat(bench.attached()).isEmpty();
        assertThat(bench.mounted()).isEmpty();
    }

    private static VolumeException failure(ThrowingCallable call) {
        VolumeException e = catchThrowableOfType(VolumeException.class, call);
        assertThat(e).isNotNull();
        return e;
    }

    @ParameterizedTest
    @CsvSource({"ext4,256,1", "ext4,8,1", "ext2,8,1", "ext3,32,7", "ext4,2000,3", "xfs,320,66"})
    void formatsAnEmptyDeviceAndLeavesItMostlyAHole(String type, long mebi, long taken) throws Exception {
        Path image = bench.image("a.img", mebi * MEBI);
        String device = bench.attach(image);
        assertThat(fileSystems.typeOf(device)).isEmpty();
        fileSystems.formatIfEmpty(device, type, Progress.IGNORED);
        assertThat(fileSystems.typeOf(device)).contains(type);
        assertThat(LoopBench.allocated(image)).isLessThanOrEqualTo(taken * MEBI);
        fileSystems.check(device, type);
        assertThat(fileSystems.needsGrowth(device, type)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void leavesAFileSystemOfTheWantedTypeAsItIs(String type) throws Exception {
        Path image = bench.image("a.img", 320 * MEBI);
        bench.withData(image, type);
        String device = bench.attach(image);
        AtomicInteger steps = new AtomicInteger();
        fileSystems.formatIfEmpty(device, type, (reason, message) -> steps.incrementAndGet());
        assertThat(steps).hasValue(0);
        assertThat(bench.onMounted(image, "cat precious")).isEqualTo("precious");
    }

    @Test
    void formatsDevicesSmallerThanWhatIsLookedAt() throws Exception {
        String device = bench.attach(bench.image("a.img", 2 * MEBI));
        fileSystems.formatIfEmpty(device, "ext4", Progress.IGNORED);
        assertThat(fileSystems.typeOf(device)).contains("ext4");
    }

    /** What is there, and words that must be in the message. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "partitions       | probably partitions",
                "LUKS             | it already contains crypto_LUKS",
                "xfs              | failed to mount the volume as \"ext4\", it already contains xfs",
                "ext2             | it already contains ext2",
                "swap             | it already contains swap",
                "two              | the marks of more than one file system",
                "random bytes     | data of a kind that blkid does not know",
                "one byte at 3 Mi | data of a kind that blkid does not know",
                "the last byte    | data of a kind that blkid does not know",
            })
    void neverFormatsADeviceThatHoldsSomething(String what, String words) throws Exception {
        Path image = bench.image("a.img", (what.equals("xfs") || what.equals("two") ? 320 : 12) * MEBI);
        fill(image, what);
        Path before = bench.root.resolve("before.img");
        Machine.run("cp", "--sparse=always", image.toString(), before.toString());
        String device = bench.attach(image);
        VolumeException e = failure(() -> fileSystems.formatIfEmpty(device, "ext4", Progress.IGNORED));
        assertThat(e.reason()).isEqualTo(FileSystems.NOT_EMPTY);
        assertThat(e.left()).isEqualTo(Left.NOTHING);
        assertThat(e).hasMessageContaining(words).hasMessageContaining("Nothing on " + device + " was changed");
        Machine.run("losetup", "--detach", device);
        Machine.run("cmp", image.toString(), before.toString());
    }

    private static void fill(Path image, String what) throws IOException, InterruptedException {
        switch (what) {
            case "partitions" -> {
                LoopBench.write(image, 446, new byte[] {0, 0, 2, 0, (byte) 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0, 1, 0});
                LoopBench.write(image, 510, new byte[] {0x55, (byte) 0xaa});
            }
            case "LUKS" -> LoopBench.write(image, 0, new byte[] {'L', 'U', 'K', 'S', (byte) 0xba, (byte) 0xbe, 0, 1});
            case "xfs", "ext2" -> Machine.run("mkfs." + what, "-q", image.toString());
            case "swap" -> Machine.run("mkswap", image.toString());
            case "two" -> {
                Machine.run("mkfs.ext4", "-q", "-b", "4096", image.toString());
                // The magic of an xfs, and enough of its superblock for blkid to take it for one.
                Path other = image.resolveSibling("other.img");
                Files.deleteIfExists(other);
                Machine.run("truncate", "-s", "320M", other.toString());
                Machine.run("mkfs.xfs", "-q", other.toString());
                try (var in = Files.newInputStream(other)) {
                    LoopBench.write(image, 0, in.readNBytes(512));
                }
            }
            case "random bytes" -> {
                byte[] bytes = new byte[8192];
                new Random(5).nextBytes(bytes);
                LoopBench.write(image, 0, bytes);
            }
            case "one byte at 3 Mi" -> LoopBench.write(image, 3 * MEBI, new byte[] {1});
            case "the last byte" -> LoopBench.write(image, Files.size(image) - 1, new byte[] {1});
            default -> throw new IllegalArgumentException(what);
        }
    }

    @Test
    void saysThatADeviceIsMissingInsteadOfCallingItEmpty() {
        assertThat(failure(() -> fileSystems.typeOf("/dev/loop-none"))).hasMessageContaining("No such file");
        assertThat(failure(() -> fileSystems.formatIfEmpty("/dev/loop-none", "ext4", Progress.IGNORED)))
                .hasMessageContaining("No such file");
    }

    @Test
    void refusesATypeItCannotMake() throws Exception {
        String device = bench.attach(bench.image("a.img", 8 * MEBI));
        VolumeException e = failure(() -> fileSystems.formatIfEmpty(device, "ntfs", Progress.IGNORED));
        assertThat(e.reason()).isEqualTo(FileSystems.NOT_SUPPORTED);
        assertThat(e).hasMessage("fsType \"ntfs\" is not supported: use ext4, ext3, ext2 or xfs");
    }

    @Test
    void aFormattingThatWasCutOffIsDoneAgainIfAMarkSaysSo() throws Exception {
        Path image = bench.image("a.img", 32 * MEBI);
        FormatMark mark = LoopBench.file(image).mark(LoopBench.status(image));
        mark.begin();
        LoopBench.write(image, MEBI, "half a journal".getBytes(StandardCharsets.UTF_8));
        String device = bench.attach(image);
        assertThat(failure(() -> fileSystems.formatIfEmpty(device, "ext4", Progress.IGNORED))
                        .reason())
                .isEqualTo(FileSystems.NOT_EMPTY);
        fileSystems.formatIfEmpty(device, "ext4", mark, Progress.IGNORED);
        assertThat(fileSystems.typeOf(device)).contains("ext4");
        assertThat(mark.begun()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void aMarkThatWasLeftBehindDoesNotCostAWholeFileSystemItsData(String type) throws Exception {
        Path image = bench.image("a.img", 320 * MEBI);
        bench.withData(image, type);
        FormatMark mark = LoopBench.file(image).mark(LoopBench.status(image));
        mark.begin();
        String device = bench.attach(image);
        fileSystems.formatIfEmpty(device, type, mark, Progress.IGNORED);
        assertThat(mark.begun()).isFalse();
        assertThat(bench.onMounted(image, "cat precious")).isEqualTo("precious");
    }

    @Test
    void aMarkDoesNotAllowToFormatAnothersFileSystem() throws Exception {
        Path image = bench.image("a.img", 320 * MEBI);
        bench.withData(image, "xfs");
        FormatMark mark = LoopBench.file(image).mark(LoopBench.status(image));
        mark.begin();
        String device = bench.attach(image);
        assertThat(failure(() -> fileSystems.formatIfEmpty(device, "ext4", mark, Progress.IGNORED))
                        .reason())
                .isEqualTo(FileSystems.NOT_EMPTY);
        assertThat(bench.onMounted(image, "cat precious")).isEqualTo("precious");
    }

    @Test
    void repairsWhatCanBeRepairedWithoutAsking() throws Exception {
        Path image = bench.image("a.img", 32 * MEBI);
        bench.withData(image, "ext4");
        Machine.run("debugfs", "-w", "-R", "set_super_value free_blocks_count 7", image.toString());
        Machine.run("debugfs", "-w", "-R", "set_super_value state 2", image.toString());
        String device = bench.attach(image);
        fileSystems.check(device, "ext4");
        assertThat(Machine.run("e2fsck", "-f", "-n", device)).doesNotContain("wrong");
    }

    @Test
    void saysWhatToDoWithAFileSystemThatAPersonMustRepair() throws Exception {
        Path image = bench.image("a.img", 32 * MEBI);
        bench.withData(image, "ext4");
        Machine.run("debugfs", "-w", "-R", "clri <2>", image.toString());
        Machine.run("debugfs", "-w", "-R", "set_super_value state 2", image.toString());
        String device = bench.attach(image);
        VolumeException e = failure(() -> fileSystems.check(device, "ext4"));
        assertThat(e.reason()).isEqualTo(FileSystems.DAMAGED);
        assertThat(e)
                .hasMessageContaining("'fsck' found errors on device " + device + " but could not correct them")
                .hasMessageContaining("e2fsck -f " + device);
        assertThat(e.raw()).contains("UNEXPECTED INCONSISTENCY");
    }

    @Test
    void growsAnUnmountedExt4ToTheSizeOfItsDevice() throws Exception {
        Path image = bench.image("a.img", 32 * MEBI);
        bench.withData(image, "ext4");
        bench.image("a.img", 64 * MEBI);
        String device = bench.attach(image);
        assertThat(fileSystems.needsGrowth(device, "ext4")).isTrue();
        fileSystems.growUnmounted(device, "ext4");
        assertThat(fileSystems.needsGrowth(device, "ext4")).isFalse();
        assertThat(bench.onMounted(image, "cat precious")).isEqualTo("precious");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void growsAMountedOneOrSaysThatTheKernelDoesNotLetIt(String type) throws Exception {
        Path image = bench.image("a.img", 320 * MEBI);
        bench.withData(image, type);
        bench.image("a.img", 500 * MEBI);
        String device = bench.attach(image);
        assertThat(fileSystems.needsGrowth(device, type)).isTrue();
        Path point = Files.createDirectory(bench.root.resolve("point"));
        Machine.run("mount", device, point.toString());
        if (type.equals("xfs") || LoopBench.mayGrowMounted()) {
            assertThat(fileSystems.grow(device, type, point)).isEqualTo(500 * MEBI);
            Machine.run("umount", point.toString());
            assertThat(fileSystems.needsGrowth(device, type)).isFalse();
        } else {
            VolumeException e = failure(() -> fileSystems.grow(device, type, point));
            assertThat(e.reason()).isEqualTo(FileSystems.NOT_PERMITTED);
            assertThat(e).hasMessageContaining("CAP_SYS_RESOURCE");
        }
    }

    @Test
    void namesThePackageOfAMissingProgram() throws Exception {
        String device = bench.attach(bench.image("a.img", 320 * MEBI));
        FileSystems without = new FileSystems(command -> {
            if (command.program().equals("mkfs.xfs")) {
                throw new CommandException(CommandException.Kind.MISSING, "not there");
            }
            return new ChildProcess().run(command);
        });
        VolumeException e = failure(() -> without.formatIfEmpty(device, "xfs", Progress.IGNORED));
        assertThat(e.reason()).isEqualTo("ProgramMissing");
        assertThat(e).hasMessage("mkfs.xfs is missing: apt-get install xfsprogs");
        assertThat(e.left()).isEqualTo(Left.NOTHING);
    }

    @Test
    void aProgramThatIsTooSlowMayHaveDoneSomething() {
        FileSystems slow = new FileSystems(command -> {
            throw new CommandException(CommandException.Kind.TOO_SLOW, "too slow");
        });
        VolumeException e = failure(() -> slow.typeOf("/dev/loop0"));
        assertThat(e.reason()).isEqualTo("TooSlow");
        assertThat(e.left()).isEqualTo(Left.PERHAPS_SOMETHING);
    }
}
