package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.BlockSource;
import dev.mooring.model.view.VolumeOperation.OperationType;
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

/** Tests of images that are replaced during an operation; each is a finding of PathAttackTest. */
class ReplacedImageTest {
    private static final long MEBI = VolumeWorkFixture.MEBI;
    private static final VolumeWork WORK = VolumeWorkFixture.provision(BlockSource.PROVISIONER, "team/claim", Map.of());

    @TempDir
    Path temp;

    private VolumeWorkFixture fixture;
    private Path image;
    private Path other;
    private byte[] before;
    private VolumeWorkResult created;

    @BeforeEach
    void createImages() throws Exception {
        fixture = new VolumeWorkFixture(temp);
        created = fixture.workers.perform(VolumeWorkFixture.sized(4 * MEBI, WORK));
        image = fixture.base("block").resolve("team/claim.img");
        HostMachine.run("/usr/sbin/mkfs.ext4", "-q", image.toString());
        other = Files.copy(image, fixture.outside.resolve("other.img"));
        before = Files.readAllBytes(other);
    }

    private VolumeWork grow() {
        return VolumeWorkFixture.sized(8 * MEBI, VolumeWorkFixture.then(OperationType.GROW, WORK, created.source()));
    }

    private void replaceByLink() {
        try {
            Files.move(image, image.resolveSibling("away"));
            Files.createSymbolicLink(image, other);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Programs once got the path of the image: they followed the link, or blocked for ten minutes on a named pipe. */
    @ParameterizedTest
    @ValueSource(strings = {"losetup", "blkid", "e2fsck", "resize2fs"})
    void grow_imageReplacedByLinkBeforeProgram_usesOpenedImage(String program) throws Exception {
        boolean[] replaced = {false};
        CommandRunner runner = command -> {
            if (command.program().equals(program) && !replaced[0]) {
                replaced[0] = true;
                replaceByLink();
            }
            return new ChildProcess().run(command);
        };
        VolumeWorkResult grown = fixture.workers(SystemCalls.real(), FileSystemSpace::measure, runner)
                .perform(grow());
        assertThat(replaced[0]).isTrue();
        assertThat(grown.bytes()).isEqualTo(8 * MEBI);
        assertThat(Files.readAllBytes(other)).isEqualTo(before);
        assertThat(HostMachine.run(
                        "/usr/sbin/dumpe2fs", "-h", image.resolveSibling("away").toString()))
                .containsPattern("Block count: +8192");
    }

    @Test
    void grow_imageWithSecondHardLink_fails() throws Exception {
        Files.delete(image);
        Files.createLink(image, other);
        VolumeWorkException e = catchThrowableOfType(VolumeWorkException.class, () -> fixture.workers.perform(grow()));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.WRONG_MARKER);
        assertThat(e).hasMessageContaining("has 2 hard links");
        assertThat(Files.readAllBytes(other)).isEqualTo(before);
    }

    /** The file was opened through a hard link that is removed before the links are counted. */
    @Test
    void grow_hardLinkRemovedBetweenCalls_leavesOtherFileUnchanged() throws Exception {
        Path away = Files.move(image, image.resolveSibling("away"));
        for (int at = 0; at < 60; at++) {
            Files.createLink(image, other);
            int[] calls = {at};
            VolumeWorkers disturbed = fixture.workers(FaultySystemCalls.disturbedBy(() -> {
                if (calls[0]-- == 0) {
                    delete(image);
                }
            }));
            VolumeWorkException e = catchThrowableOfType(VolumeWorkException.class, () -> disturbed.perform(grow()));
            assertThat(e.reason()).isIn(VolumeWorkException.MISSING, VolumeWorkException.WRONG_MARKER);
            assertThat(Files.readAllBytes(other))
                    .as("link removed before call %d", at)
                    .isEqualTo(before);
            Files.deleteIfExists(image);
        }
        Files.move(away, image);
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void grow_imageOfOtherVolume_fails() throws Exception {
        VolumeWork second = VolumeWorkFixture.as(
                "pv-b", VolumeWorkFixture.OTHER_UID, VolumeWorkFixture.provision(WORK.provisioner(), "b", Map.of()));
        fixture.workers.perform(VolumeWorkFixture.sized(4 * MEBI, second));
        Path imageOfOther = fixture.base("block").resolve("b.img");
        Files.move(imageOfOther, image, StandardCopyOption.REPLACE_EXISTING);
        VolumeWorkException e = catchThrowableOfType(VolumeWorkException.class, () -> fixture.workers.perform(grow()));
        assertThat(e.reason()).isEqualTo(VolumeWorkException.WRONG_MARKER);
        assertThat(image).hasSize(4 * MEBI);
    }

    /** This once threw a NoSuchElementException. */
    @Test
    void provision_imageMovedAwayBetweenCalls_fails() throws Exception {
        int reported = 0;
        for (int at = 0; at < 60; at++) {
            int[] calls = {at};
            VolumeWorkers disturbed = fixture.workers(FaultySystemCalls.disturbedBy(() -> {
                if (calls[0]-- == 0) {
                    move(image, image.resolveSibling("away"));
                }
            }));
            try {
                disturbed.perform(VolumeWorkFixture.sized(4 * MEBI, WORK));
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
        fixture.workers.perform(VolumeWorkFixture.then(OperationType.DELETE, WORK, Optional.empty()));
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
