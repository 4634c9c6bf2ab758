package dev.mooring.volume.block;

import static dev.mooring.volume.block.LoopBench.MEBI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.block.LoopDevices.Loop;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
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

    private LoopBench bench;

    @BeforeEach
    void machine() throws IOException {
        bench = new LoopBench(temp);
    }

    @AfterEach
    void nothingStays() throws Exception {
        bench.close();
        assertThat(bench.attached()).isEmpty();
    }

    /** The real losetup, but these answers instead of the first ones to --find. */
    private static final class Refusing implements CommandRunner {
        private final Deque<CommandResult> answers = new ArrayDeque<>();

        Refusing(String... errors) {
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
    void findsAnImageByWhatItIsAndNotByItsName() throws Exception {
        Path image = bench.image("with space.img", 8 * MEBI);
        FileStatus status = LoopBench.status(image);
        Loop loop = bench.loops.attach(image, status);
        Path renamed = Files.move(image, bench.root.resolve("renamed.img"));
        Path other = bench.image("with space.img", 8 * MEBI);
        assertThat(bench.loops.of(renamed, status)).containsExactly(loop);
        assertThat(bench.loops.of(other, LoopBench.status(other))).isEmpty();
        assertThat(LoopDevices.numberOf(loop.path())).isEqualTo(loop.number());
        bench.loops.detach(loop);
        assertThat(bench.loops.at(loop.path())).isEmpty();
        bench.loops.detach(loop);
    }

    @Test
    void takesAnotherDeviceIfSomebodyWasFaster() throws Exception {
        Path image = bench.image("a.img", 8 * MEBI);
        LoopDevices loops = new LoopDevices(new Refusing(
                "losetup: " + image + ": failed to set up loop device: Device or resource busy",
                "losetup: " + image + ": failed to set up loop device: Resource temporarily unavailable"));
        assertThat(loops.attach(image, LoopBench.status(image)).path()).startsWith("/dev/loop");
        assertThat(bench.attached()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cannot find an unused loop device: No such device  | modprobe loop",
                "failed to set up loop device: No such file or directory | /dev does not show it",
                "failed to set up loop device: Operation not permitted | CAP_SYS_ADMIN",
            })
    void saysWhatToDoIfThereIsNoDevice(String said, String words) throws Exception {
        Path image = bench.image("a.img", 8 * MEBI);
        FileStatus status = LoopBench.status(image);
        LoopDevices loops = new LoopDevices(new Refusing("losetup: " + said));
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> loops.attach(image, status));
        assertThat(e.reason()).isEqualTo("NoLoopDevices");
        assertThat(e).hasMessageContaining(words);
        assertThat(e.raw()).contains(said);
        assertThat(e.left()).isEqualTo(Left.NOTHING);
    }

    @Test
    void letsGoOfAFileThatWasPutInThePlaceOfTheImage() throws Exception {
        Path image = bench.image("a.img", 8 * MEBI);
        FileStatus status = LoopBench.status(image);
        LoopDevices swapped = new LoopDevices(command -> {
            if (command.arguments().contains("--find")) {
                try {
                    Files.move(image, bench.root.resolve("away.img"));
                    bench.image("a.img", 8 * MEBI);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
            return new ChildProcess().run(command);
        });
        VolumeException e = catchThrowableOfType(VolumeException.class, () -> swapped.attach(image, status));
        assertThat(e).hasMessageContaining("has another file behind it");
        assertThat(bench.attached()).isEmpty();
    }

    @Test
    void seesWhatTheProgramHasAttachedInPart() throws Exception {
        Path image = bench.image("a.img", 8 * MEBI);
        Machine.run("losetup", "--offset", "4096", "--find", image.toString());
        assertThat(bench.loops.of(image, LoopBench.status(image)))
                .singleElement()
                .extracting(Loop::use)
                .isEqualTo(Loop.Use.PART_OR_READ_ONLY);
    }
}
