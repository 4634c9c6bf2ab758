package dev.mooring.volume.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.mount.FakeMounter;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.usage.Measured.Belonging;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On real file systems, as far as they are local. */
class SpaceMeterTest {
    private static final long MI = 1 << 20;
    private static final Clock STILL = Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);

    @TempDir
    Path temporary;

    private final List<Command> commands = new ArrayList<>();
    private Path dir;
    private Path disk;

    @BeforeEach
    void prepare() throws IOException {
        dir = temporary.toRealPath();
        disk = Files.createDirectory(dir.resolve("disk"));
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (MountTable.read().isMountPoint(disk)) {
            Machine.run("umount", "-l", disk.toString());
        }
    }

    private SpaceMeter real() {
        ChildProcess children = new ChildProcess();
        Mounter mounter = new LinuxMounter(new NodeLayout(dir.resolve("root")), SystemCalls.real(), children);
        return new SpaceMeter(
                mounter,
                SystemCalls.real(),
                command -> {
                    commands.add(command);
                    return children.run(command);
                },
                STILL);
    }

    private void mountMemory() throws IOException, InterruptedException {
        Machine.assumeRoot();
        Machine.run("mount", "-t", "tmpfs", "-o", "size=8m,nr_inodes=100", "tmpfs", disk.toString());
        Files.write(disk.resolve("file"), new byte[(int) (2 * MI)]);
    }

    @Test
    void aFileSystemOfItsOwnIsAskedWithoutAChild() throws Exception {
        mountMemory();

        Measured found = real().atOnce(disk).orElseThrow();

        assertThat(found.belonging()).isEqualTo(Belonging.OWN);
        assertThat(found.space()).isEqualTo(new Space(8 * MI, 6 * MI, 2 * MI, 100, 98));
        assertThat(found.space().inodesUsed()).isEqualTo(2);
        assertThat(commands).isEmpty();
    }

    @Test
    void aChildSaysTheSame() throws Exception {
        mountMemory();
        SpaceMeter meter = real();

        assertThat(meter.patiently(disk)).isEqualTo(meter.atOnce(disk).orElseThrow());
        assertThat(meter.export(disk).belonging()).isEqualTo(Belonging.OWN);
        assertThat(commands).hasSize(2).allMatch(each -> each.deadline().equals(SpaceMeter.DEADLINE));
    }

    @Test
    void aDirectoryOfAFileSystemIsShared() throws Exception {
        assertThat(real().atOnce(disk).orElseThrow().belonging()).isEqualTo(Belonging.SHARED);
    }

    @Test
    void aWayWithALinkInItIsForAChild() throws Exception {
        Path link = Files.createSymbolicLink(dir.resolve("link"), disk);
        assertThat(real().atOnce(link)).isEmpty();
        assertThat(real().atOnce(Path.of(disk + "/../disk"))).isEmpty();
        assertThat(real().patiently(link).space().capacity()).isPositive();
    }

    @Test
    void whatIsNotThereIsAnError() {
        Path nothing = dir.resolve("nothing");
        assertThatThrownBy(() -> real().atOnce(nothing)).isInstanceOf(UsageException.class);
        assertThatThrownBy(() -> real().patiently(nothing))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("No such file or directory");
    }

    @Test
    void whatMayHangIsNotTouchedByThisProcess() throws Exception {
        FakeMounter mounter = FakeMounter.inMemory(new NodeLayout(Path.of("/root")));
        mounter.alreadyMounted(disk, "nfs4", "nas:/x", "rw");
        SpaceMeter meter = new SpaceMeter(
                mounter,
                SystemCalls.real(),
                () -> {
                    throw new AssertionError("asked");
                },
                command -> new CommandResult(0, "4096 100 50 40 10 5\n", ""),
                STILL);

        assertThat(meter.atOnce(disk.resolve("below"))).isEmpty();
        assertThat(meter.patiently(disk.resolve("below")).space()).isEqualTo(new Space(409600, 163840, 204800, 10, 5));
    }

    @Test
    void aServerThatDoesNotAnswerIsAnError() {
        SpaceMeter meter = new SpaceMeter(
                FakeMounter.inMemory(new NodeLayout(Path.of("/root"))),
                SystemCalls.real(),
                command -> {
                    throw new CommandException(CommandException.Kind.TOO_SLOW, "too slow");
                },
                STILL);
        assertThatThrownBy(() -> meter.export(disk))
                .isInstanceOf(UsageException.class)
                .hasMessage("too slow");
    }

    @Test
    void addsUpWhatIsInADirectory() throws Exception {
        Files.write(disk.resolve("a"), new byte[(int) MI]);
        Files.write(Files.createDirectory(disk.resolve("below")).resolve("b"), new byte[(int) MI]);
        DirectorySize size = new DirectorySize(new ChildProcess());

        assertThat(size.of(disk)).isBetween(2 * MI, 2 * MI + 64 * 1024);
        assertThatThrownBy(() -> size.of(dir.resolve("nothing"))).isInstanceOf(UsageException.class);
    }
}
