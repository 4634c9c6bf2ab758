package dev.mooring.volume.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.work.MeasuredSpace.FileSystemSharing;
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

/** Tests with real file systems, as far as they are local. */
class FileSystemMeterTest {
    private static final long MI = 1 << 20;
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);

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
            HostMachine.run("umount", "-l", disk.toString());
        }
    }

    private FileSystemMeter real() {
        ChildProcess children = new ChildProcess();
        Mounter mounter = new LinuxMounter(new NodeLayout(dir.resolve("root")), SystemCalls.real(), children);
        return new FileSystemMeter(
                mounter,
                SystemCalls.real(),
                command -> {
                    commands.add(command);
                    return children.run(command);
                },
                CLOCK);
    }

    private void mountTmpfs() throws IOException, InterruptedException {
        HostMachine.assumeRoot();
        HostMachine.run("mount", "-t", "tmpfs", "-o", "size=8m,nr_inodes=100", "tmpfs", disk.toString());
        Files.write(disk.resolve("file"), new byte[(int) (2 * MI)]);
    }

    @Test
    void measureLocal_ownFileSystem_runsNoChildProcess() throws Exception {
        mountTmpfs();

        MeasuredSpace found = real().measureLocal(disk).orElseThrow();

        assertThat(found.sharing()).isEqualTo(FileSystemSharing.OWN);
        assertThat(found.stats()).isEqualTo(new FileSystemStats(8 * MI, 6 * MI, 2 * MI, 100, 98));
        assertThat(found.stats().inodesUsed()).isEqualTo(2);
        assertThat(commands).isEmpty();
    }

    @Test
    void measureInChild_returnsSameStats() throws Exception {
        mountTmpfs();
        FileSystemMeter meter = real();

        assertThat(meter.measureInChild(disk))
                .isEqualTo(meter.measureLocal(disk).orElseThrow());
        assertThat(meter.measureExport(disk).sharing()).isEqualTo(FileSystemSharing.OWN);
        assertThat(commands).hasSize(2).allMatch(each -> each.deadline().equals(FileSystemMeter.DEADLINE));
    }

    @Test
    void measureLocal_directoryOfFileSystem_isShared() throws Exception {
        assertThat(real().measureLocal(disk).orElseThrow().sharing()).isEqualTo(FileSystemSharing.SHARED);
    }

    @Test
    void measureLocal_linkInPath_isLeftToChildProcess() throws Exception {
        Path link = Files.createSymbolicLink(dir.resolve("link"), disk);
        assertThat(real().measureLocal(link)).isEmpty();
        assertThat(real().measureLocal(Path.of(disk + "/../disk"))).isEmpty();
        assertThat(real().measureInChild(link).stats().capacity()).isPositive();
    }

    @Test
    void measure_missingPath_fails() {
        Path nothing = dir.resolve("nothing");
        assertThatThrownBy(() -> real().measureLocal(nothing)).isInstanceOf(UsageException.class);
        assertThatThrownBy(() -> real().measureInChild(nothing))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("No such file or directory");
    }

    @Test
    void measureLocal_remotePath_isNotAccessed() throws Exception {
        FakeMounter mounter = FakeMounter.inMemory(new NodeLayout(Path.of("/root")));
        mounter.alreadyMounted(disk, "nfs4", "nas:/x", "rw");
        FileSystemMeter meter = new FileSystemMeter(
                mounter,
                SystemCalls.real(),
                () -> {
                    throw new AssertionError("statvfs must not be called");
                },
                command -> new CommandResult(0, "4096 100 50 40 10 5\n", ""),
                CLOCK);

        assertThat(meter.measureLocal(disk.resolve("below"))).isEmpty();
        assertThat(meter.measureInChild(disk.resolve("below")).stats())
                .isEqualTo(new FileSystemStats(409600, 163840, 204800, 10, 5));
    }

    @Test
    void measureExport_timeout_fails() {
        FileSystemMeter meter = new FileSystemMeter(
                FakeMounter.inMemory(new NodeLayout(Path.of("/root"))),
                SystemCalls.real(),
                command -> {
                    throw new CommandException(CommandException.CommandFailureKind.TIMED_OUT, "too slow");
                },
                CLOCK);
        assertThatThrownBy(() -> meter.measureExport(disk))
                .isInstanceOf(UsageException.class)
                .hasMessage("too slow");
    }

    @Test
    void directorySize_addsUpFiles() throws Exception {
        Files.write(disk.resolve("a"), new byte[(int) MI]);
        Files.write(Files.createDirectory(disk.resolve("below")).resolve("b"), new byte[(int) MI]);
        DirectorySize size = new DirectorySize(new ChildProcess());

        assertThat(size.of(disk)).isBetween(2 * MI, 2 * MI + 64 * 1024);
        assertThatThrownBy(() -> size.of(dir.resolve("nothing"))).isInstanceOf(UsageException.class);
    }
}
