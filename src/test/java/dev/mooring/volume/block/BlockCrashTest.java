package dev.mooring.volume.block;

import static dev.mooring.volume.block.BlockBench.POD;
import static dev.mooring.volume.block.LoopBench.MEBI;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The process dies between any two steps of a volume's life; then another begins that life again. */
class BlockCrashTest {
    /** What the process does not survive. */
    private static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** When it dies. */
    private enum Moment {
        BEFORE,
        AFTER
    }

    /** The process dies at its n-th command, counted from 0. */
    private static final class DyingRunner implements CommandRunner {
        private final CommandRunner real = new ChildProcess();
        private final Moment moment;
        private int left;

        DyingRunner(int n, Moment moment) {
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

    private BlockBench bench;

    @BeforeEach
    void node() throws IOException {
        bench = new BlockBench(temp);
    }

    @AfterEach
    void nothingStays() throws Exception {
        bench.close();
        assertThat(bench.machine.attached()).isEmpty();
        assertThat(bench.machine.mounted()).isEmpty();
    }

    /** Writes if nothing is written; notes beside the image that it was, so that its loss would be seen. */
    private void life(BlockPlugin plugin, VolumeSpec volume, Path written) throws Exception {
        DeviceState state =
                plugin.mountDevice(volume, plugin.attach(volume, bench.progress), Access.READ_WRITE, bench.progress);
        assertThat(bench.machine.attached()).hasSize(1);
        Path target = plugin.setUp(bench.setUp(volume, POD, Access.READ_WRITE, state, Optional.empty()), bench.progress)
                .path();
        Path file = target.resolve("file");
        if (Files.exists(written)) {
            assertThat(file).hasContent("precious");
        } else {
            Files.writeString(file, "precious");
            Files.createFile(written);
        }
        plugin.tearDown(bench.tearDown(volume, POD), bench.progress);
        plugin.unmountDevice(volume, state, bench.progress);
        plugin.detach(volume, bench.progress);
    }

    private void liveAgain(VolumeSpec volume, Path written, String after) throws Exception {
        assertThat(bench.machine.attached()).as(after).hasSizeLessThanOrEqualTo(1);
        life(bench.plugin, volume, written);
        assertThat(bench.machine.attached()).as(after).isEmpty();
        assertThat(bench.machine.mounted()).as(after).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void atAnyCommandNothingIsLostOrLeft(Moment moment) throws Exception {
        int n = 0;
        for (boolean died = true; died; n++) {
            Path image = bench.machine.image("image-" + n, 24 * MEBI);
            VolumeSpec volume = BlockBench.volume(image, "ext4");
            Path written = bench.machine.root.resolve("written-" + n);
            try {
                life(bench.plugin(new DyingRunner(n, moment), SystemCalls.real()), volume, written);
                died = false;
            } catch (Crash expected) {
                // As meant.
            }
            liveAgain(volume, written, "crash " + moment + " command " + n);
        }
        assertThat(n).isGreaterThan(15);
    }

    @Test
    void atAnySystemCallNothingIsLostOrLeft() throws Exception {
        int calls = 0;
        for (boolean died = true; died; calls += 11) {
            Path image = bench.machine.image("image-" + calls, 24 * MEBI);
            VolumeSpec volume = BlockBench.volume(image, "ext4");
            Path written = bench.machine.root.resolve("written-" + calls);
            try {
                life(bench.plugin(new ChildProcess(), CallsWithout.after(calls)), volume, written);
                died = false;
            } catch (CallsWithout.Crash expected) {
                // As meant.
            }
            liveAgain(volume, written, "crash before call " + calls);
        }
        assertThat(calls).isGreaterThan(30);
    }

    /** How much of what mkfs has written is there when the machine comes back. */
    @ParameterizedTest
    @CsvSource({"ext4,nothing", "ext4,no superblock", "ext4,superblock only", "xfs,no superblock", "xfs,superblock only"
    })
    void aFormattingThatWasCutOffIsBegunAgain(String type, String what) throws Exception {
        Path image = bench.machine.image("a.img", 320 * MEBI);
        VolumeSpec volume = BlockBench.volume(image, type);
        CommandRunner real = new ChildProcess();
        CommandRunner dying = command -> {
            if (!command.program().startsWith("mkfs")) {
                return real.run(command);
            }
            if (!what.equals("nothing")) {
                real.run(command);
                String device = command.arguments().get(command.arguments().size() - 1);
                String[] range = what.equals("no superblock")
                        ? new String[] {"count=8"}
                        : new String[] {"seek=8", "count=100000"};
                cut(device, range);
            }
            throw new Crash();
        };
        try {
            life(bench.plugin(dying, SystemCalls.real()), volume, bench.machine.root.resolve("written"));
        } catch (Crash expected) {
            // As meant.
        }
        liveAgain(volume, bench.machine.root.resolve("written"), what);
    }

    private static void cut(String device, String... range) {
        try {
            String[] command = new String[range.length + 6];
            System.arraycopy(
                    new String[] {"dd", "status=none", "if=/dev/zero", "of=" + device, "bs=512", "conv=fsync"},
                    0,
                    command,
                    0,
                    6);
            System.arraycopy(range, 0, command, 6, range.length);
            Machine.run(command);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6, 7, 8, 9, 10})
    void whileItGrowsNothingIsLost(int n) throws Exception {
        Path image = bench.machine.image("a.img", 24 * MEBI);
        VolumeSpec volume = BlockBench.volume(image, "ext4");
        Path written = bench.machine.root.resolve("written");
        life(bench.plugin, volume, written);
        bench.machine.image("a.img", 40 * MEBI);
        try {
            life(bench.plugin(new DyingRunner(n, Moment.AFTER), SystemCalls.real()), volume, written);
        } catch (Crash expected) {
            // As meant.
        }
        liveAgain(volume, written, "crash at command " + n);
        assertThat(new FileSystems(new ChildProcess()).needsGrowth(bench.machine.attach(image), "ext4"))
                .isFalse();
    }
}
