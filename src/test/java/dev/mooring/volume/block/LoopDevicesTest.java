package dev.mooring.volume.block;

import static dev.mooring.volume.block.LoopDeviceFixture.MEBI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.FileStatus;
import dev.mooring.host.HostMachine;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.block.LoopDevices.LoopDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoopDevicesTest {
    @TempDir
    Path temp;

    private LoopDeviceFixture fixture;

    @BeforeEach
    void machine() throws IOException {
        fixture = new LoopDeviceFixture(temp);
    }

    @AfterEach
    void requireNoLeftovers() throws Exception {
        fixture.close();
        assertThat(fixture.attached()).isEmpty();
    }

    /** Runs the real losetup, but fails the first calls with --find with the given errors. */
    private static final class FailingLosetup implements CommandRunner {
        private final Deque<CommandResult> answers = new ArrayDeque<>();

        FailingLosetup(String... errors) {
            List.of(errors).forEach(each -> answers.add(new CommandResult(1, "", each)));
        }

        @Override
        public CommandResult run(Command command) throws CommandException, InterruptedException {
            return command.arguments().contains("--find") && !answers.isEmpty()
                    ? answers.remove()
                    : new ChildProcess().run(command);
        }
    }

    @Test
    void lookup_imageRenamed_findsDeviceByFileIdentity() throws Exception {
        Path image = fixture.image("with space.img", 8 * MEBI);
        FileStatus status = LoopDeviceFixture.status(image);
        LoopDevice loop = fixture.loops.attach(image, status);
        Path renamed = Files.move(image, fixture.root.resolve("renamed.img"));
        Path other = fixture.image("with space.img", 8 * MEBI);
        assertThat(fixture.loops.of(renamed, status)).containsExactly(loop);
        assertThat(fixture.loops.of(other, LoopDeviceFixture.status(other))).isEmpty();
        assertThat(LoopDevices.numberOf(loop.path())).isEqualTo(loop.number());
        LoopDeviceFixture.detach(() -> {
            for (LoopDevice each : fixture.loops.of(renamed, status)) {
                fixture.loops.detach(each);
            }
        });
        // Another process may have attached the device to its own file meanwhile.
        assertThat(fixture.loops.at(loop.path()).filter(now -> now.isBackedBy(status)))
                .isEmpty();
    }

    /** With errors of losetup, because another process may attach a real device that is free. */
    @Test
    void detach_deviceWithoutFile_succeeds() throws Exception {
        LoopDevice loop = new LoopDevice(
                "/dev/loop7", "7:7", 1, "8:1", LoopDevice.BackingMode.WHOLE, LoopDevice.LoopLifetime.PERSISTENT);
        LoopDevices loops = new LoopDevices(
                command -> new CommandResult(1, "", "losetup: /dev/loop7: detach failed: No such device or address"));
        assertThatCode(() -> loops.detach(loop)).doesNotThrowAnyException();
    }

    @Test
    void attach_deviceTakenConcurrently_triesAnother() throws Exception {
        Path image = fixture.image("a.img", 8 * MEBI);
        LoopDevices loops = new LoopDevices(new FailingLosetup(
                "losetup: " + image + ": failed to set up loop device: Device or resource busy",
                "losetup: " + image + ": failed to set up loop device: Resource temporarily unavailable"));
        assertThat(loops.attach(image, LoopDeviceFixture.status(image)).path()).startsWith("/dev/loop");
        assertThat(fixture.attached()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cannot find an unused loop device: No such device  | modprobe loop",
                "failed to set up loop device: No such file or directory | it is missing in /dev",
                "failed to set up loop device: Operation not permitted | CAP_SYS_ADMIN",
            })
    void attach_noLoopDevice_failsWithAdvice(String error, String message) throws Exception {
        Path image = fixture.image("a.img", 8 * MEBI);
        FileStatus status = LoopDeviceFixture.status(image);
        LoopDevices loops = new LoopDevices(new FailingLosetup("losetup: " + error));
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> loops.attach(image, status));
        assertThat(e.reason()).isEqualTo("NoLoopDevices");
        assertThat(e).hasMessageContaining(message);
        assertThat(e.raw()).contains(error);
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
    }

    @Test
    void attach_imageReplacedMeanwhile_failsAndDetaches() throws Exception {
        Path image = fixture.image("a.img", 8 * MEBI);
        FileStatus status = LoopDeviceFixture.status(image);
        LoopDevices swapped = new LoopDevices(command -> {
            if (command.arguments().contains("--find")) {
                try {
                    Files.move(image, fixture.root.resolve("away.img"));
                    fixture.image("a.img", 8 * MEBI);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
            return new ChildProcess().run(command);
        });
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> swapped.attach(image, status));
        assertThat(e).hasMessageContaining("is backed by another file");
        fixture.awaitPendingDetachments();
        assertThat(fixture.attached()).isEmpty();
    }

    @Test
    void lookup_partOfImageAttached_reportsIt() throws Exception {
        Path image = fixture.image("a.img", 8 * MEBI);
        HostMachine.run("losetup", "--offset", "4096", "--find", image.toString());
        assertThat(fixture.loops.of(image, LoopDeviceFixture.status(image)))
                .singleElement()
                .extracting(LoopDevice::backingMode)
                .isEqualTo(LoopDevice.BackingMode.PART_OR_READ_ONLY);
    }
}
