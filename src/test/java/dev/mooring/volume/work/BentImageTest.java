package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.CommandRunner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody puts something else in the place of an image at the worst moment. What PathAttackTest has found, one by one. */
class BentImageTest {
    private static final long MEBI = Bench.MEBI;
    private static final VolumeWork WORK = Bench.provision(StorageNames.BLOCK_PROVISIONER, "team/claim", Map.of());

    @TempDir
    Path temp;

    private Bench bench;
    private Path image;
    private Path other;
    private byte[] before;
    private WorkDone made;

    @BeforeEach
    void anImageAndAnotherOutside() throws Exception {
        bench = new Bench(temp);
        made = bench.workers.perform(Bench.sized(4 * MEBI, WORK));
        image = bench.base("block").resolve("team/claim.img");
        Machine.run("/usr/sbin/mkfs.ext4", "-q", image.toString());
        other = Files.copy(image, bench.outside.resolve("other.img"));
        before = Files.readAllBytes(other);
    }

    private VolumeWork grow() {
        return Bench.sized(8 * MEBI, Bench.then(Work.GROW, WORK, made.source()));
    }

    private void replaceByLink() {
        try {
            Files.move(image, image.resolveSibling("away"));
            Files.createSymbolicLink(image, other);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Programs were once told the name of the image: they followed the link, or waited ten minutes for somebody to write to a pipe. */
    @ParameterizedTest
    @ValueSource(strings = {"losetup", "blkid", "e2fsck", "resize2fs"})
    void programsWorkOnTheImageThatWasOpened(String program) throws Exception {
        boolean[] bent = {false};
        CommandRunner runner = command -> {
            if (command.program().equals(program) && !bent[0]) {
                bent[0] = true;
                replaceByLink();
            }
            return new ChildProcess().run(command);
        };
        WorkDone grown = bench.workers(SystemCalls.real(), FileSystemSpace::measure, runner)
                .perform(grow());
        assertThat(bent[0]).isTrue();
        assertThat(grown.bytes()).isEqualTo(8 * MEBI);
        assertThat(Files.readAllBytes(other)).isEqualTo(before);
        assertThat(Machine.run(
                        "/usr/sbin/dumpe2fs", "-h", image.resolveSibling("away").toString()))
                .containsPattern("Block count: +8192");
    }

    @Test
    void aFileWithASecondNameIsNotGrown() throws Exception {
        Files.delete(image);
        Files.createLink(image, other);
        VolumeWorkException e = catchThrowableOfType(VolumeWorkException.class, () -> bench.workers.perform(grow()));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.WRONG_MARKER);
        assertThat(e).hasMessageContaining("has 2 names (hard links)");
        assertThat(Files.readAllBytes(other)).isEqualTo(before);
    }

    @Test
    void theImageOfAnotherVolumeIsNotGrown() throws Exception {
        VolumeWork second = Bench.as("pv-b", Bench.OTHER_UID, Bench.provision(WORK.provisioner(), "b", Map.of()));
        bench.workers.perform(Bench.sized(4 * MEBI, second));
        Path theirs = bench.base("block").resolve("b.img");
        Files.move(theirs, image, StandardCopyOption.REPLACE_EXISTING);
        VolumeWorkException e = catchThrowableOfType(VolumeWorkException.class, () -> bench.workers.perform(grow()));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.WRONG_MARKER);
        assertThat(image).hasSize(4 * MEBI);
    }

    /** It was once an error nobody expected (NoSuchElementException). */
    @Test
    void whatIsMovedAwayBetweenAnyTwoCallsIsReported() throws Exception {
        int reported = 0;
        for (int at = 0; at < 60; at++) {
            int[] calls = {at};
            VolumeWorkers disturbed = bench.workers(CallsWithout.disturbedBy(() -> {
                if (calls[0]-- == 0) {
                    move(image, image.resolveSibling("away"));
                }
            }));
            try {
                disturbed.perform(Bench.sized(4 * MEBI, WORK));
            } catch (VolumeWorkException e) {
                assertThat(e.reason())
                        .as(e.getMessage())
                        .isIn(VolumeWorkException.MISSING, VolumeWorkException.FILE_SYSTEM);
                reported++;
            }
            Files.deleteIfExists(image);
            move(image.resolveSibling("away"), image);
        }
        assertThat(reported).isPositive();
        bench.workers.perform(Bench.then(Work.DELETE, WORK, Optional.empty()));
    }

    private static void move(Path from, Path to) {
        try {
            if (Files.exists(from)) {
                Files.move(from, to);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
