package dev.mooring.volume.block;

import static dev.mooring.volume.block.LoopDeviceFixture.MEBI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.CommandException;
import dev.mooring.host.HostMachine;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
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
    private LoopDeviceFixture fixture;

    @BeforeEach
    void machine() throws IOException {
        fixture = new LoopDeviceFixture(temp);
    }

    @AfterEach
    void requireNoLeftovers() throws Exception {
        fixture.close();
        assertThat(fixture.attached()).isEmpty();
        assertThat(fixture.mounted()).isEmpty();
    }

    private static VolumeException failure(ThrowingCallable call) {
        VolumeException e = catchThrowableOfType(VolumeException.class, call);
        assertThat(e).isNotNull();
        return e;
    }

    @ParameterizedTest
    @CsvSource({"ext4,256,1", "ext4,8,1", "ext2,8,1", "ext3,32,7", "ext4,2000,3", "xfs,320,66"})
    void format_emptyDevice_allocatesLittleSpace(String type, long mebi, long allocated) throws Exception {
        Path image = fixture.image("a.img", mebi * MEBI);
        String device = fixture.attach(image);
        assertThat(fileSystems.typeOf(device)).isEmpty();
        fileSystems.formatIfEmpty(device, type, OperationProgress.NO_OP);
        assertThat(fileSystems.typeOf(device)).contains(type);
        assertThat(LoopDeviceFixture.allocated(image)).isLessThanOrEqualTo(allocated * MEBI);
        fileSystems.check(device, type);
        assertThat(fileSystems.needsGrowth(device, type)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void format_fileSystemOfSameType_leavesItUnchanged(String type) throws Exception {
        Path image = fixture.image("a.img", 320 * MEBI);
        fixture.withData(image, type);
        String device = fixture.attach(image);
        AtomicInteger steps = new AtomicInteger();
        fileSystems.formatIfEmpty(device, type, (reason, message) -> steps.incrementAndGet());
        assertThat(steps).hasValue(0);
        assertThat(fixture.onMounted(image, "cat precious")).isEqualTo("precious");
    }

    @Test
    void format_deviceSmallerThanProbedRange_succeeds() throws Exception {
        String device = fixture.attach(fixture.image("a.img", 2 * MEBI));
        fileSystems.formatIfEmpty(device, "ext4", OperationProgress.NO_OP);
        assertThat(fileSystems.typeOf(device)).contains("ext4");
    }

    /** The content of the device, and text of the error message. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "partitions       | probably partitions",
                "LUKS             | it already contains crypto_LUKS",
                "xfs              | failed to mount the volume as \"ext4\", it already contains xfs",
                "ext2             | it already contains ext2",
                "swap             | it already contains swap",
                "two              | signatures of more than one file system",
                "random bytes     | data that blkid does not recognize",
                "one byte at 3 Mi | data that blkid does not recognize",
                "the last byte    | data that blkid does not recognize",
            })
    void format_deviceWithContent_failsWithoutChange(String content, String message) throws Exception {
        Path image = fixture.image("a.img", (content.equals("xfs") || content.equals("two") ? 320 : 12) * MEBI);
        fill(image, content);
        Path before = fixture.root.resolve("before.img");
        HostMachine.run("cp", "--sparse=always", image.toString(), before.toString());
        String device = fixture.attach(image);
        VolumeException e = failure(() -> fileSystems.formatIfEmpty(device, "ext4", OperationProgress.NO_OP));
        assertThat(e.reason()).isEqualTo(FileSystems.NOT_EMPTY);
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(e).hasMessageContaining(message).hasMessageContaining("Nothing on " + device + " was changed");
        HostMachine.run("losetup", "--detach", device);
        HostMachine.run("cmp", image.toString(), before.toString());
    }

    private static void fill(Path image, String content) throws IOException, InterruptedException {
        switch (content) {
            case "partitions" -> {
                LoopDeviceFixture.write(
                        image, 446, new byte[] {0, 0, 2, 0, (byte) 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0, 1, 0});
                LoopDeviceFixture.write(image, 510, new byte[] {0x55, (byte) 0xaa});
            }
            case "LUKS" ->
                LoopDeviceFixture.write(image, 0, new byte[] {'L', 'U', 'K', 'S', (byte) 0xba, (byte) 0xbe, 0, 1});
            case "xfs", "ext2" -> HostMachine.run("mkfs." + content, "-q", image.toString());
            case "swap" -> HostMachine.run("mkswap", image.toString());
            case "two" -> {
                HostMachine.run("mkfs.ext4", "-q", "-b", "4096", image.toString());
                // The magic of an xfs, and enough of its superblock for blkid to detect it.
                Path other = image.resolveSibling("other.img");
                Files.deleteIfExists(other);
                HostMachine.run("truncate", "-s", "320M", other.toString());
                HostMachine.run("mkfs.xfs", "-q", other.toString());
                try (var in = Files.newInputStream(other)) {
                    LoopDeviceFixture.write(image, 0, in.readNBytes(512));
                }
            }
            case "random bytes" -> {
                byte[] bytes = new byte[8192];
                new Random(5).nextBytes(bytes);
                LoopDeviceFixture.write(image, 0, bytes);
            }
            case "one byte at 3 Mi" -> LoopDeviceFixture.write(image, 3 * MEBI, new byte[] {1});
            case "the last byte" -> LoopDeviceFixture.write(image, Files.size(image) - 1, new byte[] {1});
            default -> throw new IllegalArgumentException(content);
        }
    }

    @Test
    void typeOf_missingDevice_fails() {
        assertThat(failure(() -> fileSystems.typeOf("/dev/loop-none"))).hasMessageContaining("No such file");
        assertThat(failure(() -> fileSystems.formatIfEmpty("/dev/loop-none", "ext4", OperationProgress.NO_OP)))
                .hasMessageContaining("No such file");
    }

    @Test
    void format_unsupportedType_fails() throws Exception {
        String device = fixture.attach(fixture.image("a.img", 8 * MEBI));
        VolumeException e = failure(() -> fileSystems.formatIfEmpty(device, "ntfs", OperationProgress.NO_OP));
        assertThat(e.reason()).isEqualTo(FileSystems.NOT_SUPPORTED);
        assertThat(e).hasMessage("fsType \"ntfs\" is not supported: use ext4, ext3, ext2 or xfs");
    }

    @Test
    void format_interruptedWithMarker_formatsAgain() throws Exception {
        Path image = fixture.image("a.img", 32 * MEBI);
        FormatMarker marker = LoopDeviceFixture.file(image).formatMarker(LoopDeviceFixture.status(image));
        marker.begin();
        LoopDeviceFixture.write(image, MEBI, "half a journal".getBytes(StandardCharsets.UTF_8));
        String device = fixture.attach(image);
        assertThat(failure(() -> fileSystems.formatIfEmpty(device, "ext4", OperationProgress.NO_OP))
                        .reason())
                .isEqualTo(FileSystems.NOT_EMPTY);
        fileSystems.formatIfEmpty(device, "ext4", marker, OperationProgress.NO_OP);
        assertThat(fileSystems.typeOf(device)).contains("ext4");
        assertThat(marker.isStarted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void format_staleMarkerOnCompleteFileSystem_keepsData(String type) throws Exception {
        Path image = fixture.image("a.img", 320 * MEBI);
        fixture.withData(image, type);
        FormatMarker marker = LoopDeviceFixture.file(image).formatMarker(LoopDeviceFixture.status(image));
        marker.begin();
        String device = fixture.attach(image);
        fileSystems.formatIfEmpty(device, type, marker, OperationProgress.NO_OP);
        assertThat(marker.isStarted()).isFalse();
        assertThat(fixture.onMounted(image, "cat precious")).isEqualTo("precious");
    }

    @Test
    void format_markerOnFileSystemOfOtherType_failsWithoutChange() throws Exception {
        Path image = fixture.image("a.img", 320 * MEBI);
        fixture.withData(image, "xfs");
        FormatMarker marker = LoopDeviceFixture.file(image).formatMarker(LoopDeviceFixture.status(image));
        marker.begin();
        String device = fixture.attach(image);
        assertThat(failure(() -> fileSystems.formatIfEmpty(device, "ext4", marker, OperationProgress.NO_OP))
                        .reason())
                .isEqualTo(FileSystems.NOT_EMPTY);
        assertThat(fixture.onMounted(image, "cat precious")).isEqualTo("precious");
    }

    @Test
    void check_repairableErrors_repairsThem() throws Exception {
        Path image = fixture.image("a.img", 32 * MEBI);
        fixture.withData(image, "ext4");
        HostMachine.run("debugfs", "-w", "-R", "set_super_value free_blocks_count 7", image.toString());
        HostMachine.run("debugfs", "-w", "-R", "set_super_value state 2", image.toString());
        String device = fixture.attach(image);
        fileSystems.check(device, "ext4");
        assertThat(HostMachine.run("e2fsck", "-f", "-n", device)).doesNotContain("wrong");
    }

    @Test
    void check_unrepairableErrors_failsWithRepairCommand() throws Exception {
        Path image = fixture.image("a.img", 32 * MEBI);
        fixture.withData(image, "ext4");
        HostMachine.run("debugfs", "-w", "-R", "clri <2>", image.toString());
        HostMachine.run("debugfs", "-w", "-R", "set_super_value state 2", image.toString());
        String device = fixture.attach(image);
        VolumeException e = failure(() -> fileSystems.check(device, "ext4"));
        assertThat(e.reason()).isEqualTo(FileSystems.DAMAGED);
        assertThat(e)
                .hasMessageContaining("'fsck' found errors on device " + device + " but could not correct them")
                .hasMessageContaining("e2fsck -f " + device);
        assertThat(e.raw()).contains("UNEXPECTED INCONSISTENCY");
    }

    @Test
    void growUnmounted_largerDevice_growsExt4() throws Exception {
        Path image = fixture.image("a.img", 32 * MEBI);
        fixture.withData(image, "ext4");
        fixture.image("a.img", 64 * MEBI);
        String device = fixture.attach(image);
        assertThat(fileSystems.needsGrowth(device, "ext4")).isTrue();
        fileSystems.growUnmounted(device, "ext4");
        assertThat(fileSystems.needsGrowth(device, "ext4")).isFalse();
        assertThat(fixture.onMounted(image, "cat precious")).isEqualTo("precious");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void grow_mounted_growsOrFailsWithMissingCapability(String type) throws Exception {
        Path image = fixture.image("a.img", 320 * MEBI);
        fixture.withData(image, type);
        fixture.image("a.img", 500 * MEBI);
        String device = fixture.attach(image);
        assertThat(fileSystems.needsGrowth(device, type)).isTrue();
        Path point = Files.createDirectory(fixture.root.resolve("point"));
        HostMachine.run("mount", device, point.toString());
        if (type.equals("xfs") || LoopDeviceFixture.mayGrowMounted()) {
            assertThat(fileSystems.grow(device, type, point)).isEqualTo(500 * MEBI);
            HostMachine.run("umount", point.toString());
            assertThat(fileSystems.needsGrowth(device, type)).isFalse();
        } else {
            VolumeException e = failure(() -> fileSystems.grow(device, type, point));
            assertThat(e.reason()).isEqualTo(FileSystems.NOT_PERMITTED);
            assertThat(e).hasMessageContaining("CAP_SYS_RESOURCE");
        }
    }

    @Test
    void format_programMissing_namesItsPackage() throws Exception {
        String device = fixture.attach(fixture.image("a.img", 320 * MEBI));
        FileSystems withoutMkfs = new FileSystems(command -> {
            if (command.program().equals("mkfs.xfs")) {
                throw new CommandException(CommandException.CommandFailureKind.MISSING, "not found");
            }
            return new ChildProcess().run(command);
        });
        VolumeException e = failure(() -> withoutMkfs.formatIfEmpty(device, "xfs", OperationProgress.NO_OP));
        assertThat(e.reason()).isEqualTo("ProgramMissing");
        assertThat(e).hasMessage("mkfs.xfs is missing: apt-get install xfsprogs");
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
    }

    @Test
    void command_timeout_failsAsUncertain() {
        FileSystems slow = new FileSystems(command -> {
            throw new CommandException(CommandException.CommandFailureKind.TIMED_OUT, "too slow");
        });
        VolumeException e = failure(() -> slow.typeOf("/dev/loop0"));
        assertThat(e.reason()).isEqualTo("TooSlow");
        assertThat(e.failureState()).isEqualTo(FailureState.UNCERTAIN);
    }
}
