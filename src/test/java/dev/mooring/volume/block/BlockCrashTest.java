package dev.mooring.volume.block;

import static dev.mooring.volume.block.BlockPluginFixture.POD;
import static dev.mooring.volume.block.LoopDeviceFixture.MEBI;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.VolumeSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a volume survives a crash between any two steps of its lifecycle, which is then run again. */
@Timeout(300)
class BlockCrashTest {
    /** Simulated crash of the process. */
    private static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Whether the process crashes before or after the command. */
    private enum Moment {
        BEFORE,
        AFTER
    }

    /** Runner that simulates a crash at the n-th command, counted from 0. */
    private static final class CrashingRunner implements CommandRunner {
        private final CommandRunner real = new ChildProcess();
        private final Moment moment;
        private int left;

        CrashingRunner(int n, Moment moment) {
            this.left = n;
            this.moment = moment;
        }

        @Override
        public CommandResult run(Command command) throws CommandException, InterruptedException {
            boolean last = left-- == 0;
            if (last && moment == Moment.BEFORE) {
                throw new Crash();
            }
            CommandResult result = real.run(command);
            if (last) {
                throw new Crash();
            }
            return result;
        }
    }

    @TempDir
    Path temp;

    private BlockPluginFixture fixture;

    @BeforeEach
    void node() throws IOException {
        fixture = new BlockPluginFixture(temp);
    }

    @AfterEach
    void requireNoLeftovers() throws Exception {
        fixture.close();
        assertThat(fixture.machine.attached()).isEmpty();
        assertThat(fixture.machine.mounted()).isEmpty();
    }

    /** Runs the whole lifecycle; writes a file and records it beside the image, so that its loss is detected. */
    private void fullLifecycle(BlockPlugin plugin, VolumeSpec volume, Path written) throws Exception {
        DeviceState state = plugin.mountDevice(
                volume, plugin.attach(volume, fixture.progress), Access.READ_WRITE, fixture.progress);
        assertThat(fixture.machine.attached()).hasSize(1);
        Path target = plugin.setUp(
                        fixture.setUp(volume, POD, Access.READ_WRITE, state, Optional.empty()), fixture.progress)
                .path();
        Path file = target.resolve("file");
        if (Files.exists(written)) {
            assertThat(file).hasContent("precious");
        } else {
            Files.writeString(file, "precious");
            Files.createFile(written);
        }
        plugin.tearDown(fixture.tearDown(volume, POD), fixture.progress);
        plugin.unmountDevice(volume, state, fixture.progress);
        fixture.detach(plugin, volume);
    }

    private void repeatLifecycle(VolumeSpec volume, Path written, String after) throws Exception {
        fixture.machine.awaitPendingDetachments();
        assertThat(fixture.machine.attached()).as(after).hasSizeLessThanOrEqualTo(1);
        fullLifecycle(fixture.plugin, volume, written);
        assertThat(fixture.machine.attached()).as(after).isEmpty();
        assertThat(fixture.machine.mounted()).as(after).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void plugin_crashAtAnyCommand_losesNoDataAndLeavesNoDevices(Moment moment) throws Exception {
        int n = 0;
        for (boolean crashed = true; crashed; n++) {
            Path image = fixture.machine.image("image-" + n, 24 * MEBI);
            VolumeSpec volume = BlockPluginFixture.volume(image, "ext4");
            Path written = fixture.machine.root.resolve("written-" + n);
            try {
                fullLifecycle(fixture.plugin(new CrashingRunner(n, moment), SystemCalls.real()), volume, written);
                crashed = false;
            } catch (Crash expected) {
                // The simulated crash.
            }
            repeatLifecycle(volume, written, "crash " + moment + " command " + n);
        }
        assertThat(n).isGreaterThan(15);
    }

    @Test
    void plugin_crashAtAnySystemCall_losesNoDataAndLeavesNoDevices() throws Exception {
        int calls = 0;
        for (boolean crashed = true; crashed; calls += 11) {
            Path image = fixture.machine.image("image-" + calls, 24 * MEBI);
            VolumeSpec volume = BlockPluginFixture.volume(image, "ext4");
            Path written = fixture.machine.root.resolve("written-" + calls);
            try {
                fullLifecycle(fixture.plugin(new ChildProcess(), FaultySystemCalls.after(calls)), volume, written);
                crashed = false;
            } catch (FaultySystemCalls.Crash expected) {
                // The simulated crash.
            }
            repeatLifecycle(volume, written, "crash before call " + calls);
        }
        assertThat(calls).isGreaterThan(30);
    }

    /** The second parameter is the part of the output of mkfs that reached the disk. */
    @ParameterizedTest
    @CsvSource({"ext4,nothing", "ext4,no superblock", "ext4,superblock only", "xfs,no superblock", "xfs,superblock only"
    })
    void plugin_formattingInterrupted_formatsAgain(String type, String flushed) throws Exception {
        Path image = fixture.machine.image("a.img", 320 * MEBI);
        VolumeSpec volume = BlockPluginFixture.volume(image, type);
        CommandRunner real = new ChildProcess();
        CommandRunner runner = command -> {
            if (!command.program().startsWith("mkfs")) {
                return real.run(command);
            }
            if (!flushed.equals("nothing")) {
                real.run(command);
                String device = command.arguments().get(command.arguments().size() - 1);
                String[] range = flushed.equals("no superblock")
                        ? new String[] {"count=8"}
                        : new String[] {"seek=8", "count=100000"};
                overwriteWithZeros(device, range);
            }
            throw new Crash();
        };
        try {
            fullLifecycle(fixture.plugin(runner, SystemCalls.real()), volume, fixture.machine.root.resolve("written"));
        } catch (Crash expected) {
            // The simulated crash.
        }
        repeatLifecycle(volume, fixture.machine.root.resolve("written"), flushed);
    }

    private static void overwriteWithZeros(String device, String... range) {
        try {
            String[] command = new String[range.length + 6];
            System.arraycopy(
                    new String[] {"dd", "status=none", "if=/dev/zero", "of=" + device, "bs=512", "conv=fsync"},
                    0,
                    command,
                    0,
                    6);
            System.arraycopy(range, 0, command, 6, range.length);
            HostMachine.run(command);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6, 7, 8, 9, 10})
    void plugin_crashDuringExpansion_losesNoData(int n) throws Exception {
        Path image = fixture.machine.image("a.img", 24 * MEBI);
        VolumeSpec volume = BlockPluginFixture.volume(image, "ext4");
        Path written = fixture.machine.root.resolve("written");
        fullLifecycle(fixture.plugin, volume, written);
        fixture.machine.image("a.img", 40 * MEBI);
        try {
            fullLifecycle(fixture.plugin(new CrashingRunner(n, Moment.AFTER), SystemCalls.real()), volume, written);
        } catch (Crash expected) {
            // The simulated crash.
        }
        repeatLifecycle(volume, written, "crash at command " + n);
        assertThat(new FileSystems(new ChildProcess()).needsGrowth(fixture.machine.attach(image), "ext4"))
                .isFalse();
    }
}
