package dev.mooring.node.usage;

import static dev.mooring.node.usage.Claims.claim;
import static dev.mooring.node.usage.Claims.local;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.usage.DirectorySize;
import dev.mooring.volume.usage.Measured;
import dev.mooring.volume.usage.SpaceMeter;
import dev.mooring.volume.usage.UsageException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** File systems of this machine that are really filled; only the time is virtual. */
class RealUsageTest {
    private static final int MI = 1 << 20;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    Path temporary;

    private Path disk;

    @BeforeEach
    void prepare() throws IOException {
        Machine.assumeRoot();
        disk = Files.createDirectory(temporary.toRealPath().resolve("disk"));
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (MountTable.read().isMountPoint(disk)) {
            Machine.run("umount", disk.toString());
        }
    }

    private void mount(String kind) throws IOException, InterruptedException {
        if (kind.equals("tmpfs")) {
            Machine.run("mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", disk.toString());
            return;
        }
        Path image = temporary.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(48L * MI);
        }
        Machine.run("mkfs.ext4", "-q", "-m", "0", image.toString());
        Machine.run("mount", "-o", "loop", image.toString(), disk.toString());
    }

    private UsageRounds.Meter meter(LookoutBench bench) {
        ChildProcess children = new ChildProcess();
        LinuxMounter mounter =
                new LinuxMounter(new NodeLayout(temporary.resolve("root")), SystemCalls.real(), children);
        SpaceMeter space = new SpaceMeter(
                mounter, SystemCalls.real(), children, bench.parts().clock());
        DirectorySize size = new DirectorySize(children);
        return new UsageRounds.Meter() {
            @Override
            public Optional<Measured> atOnce(Path path) throws UsageException {
                return space.atOnce(path);
            }

            @Override
            public Measured patiently(Path path) throws UsageException, InterruptedException {
                return space.patiently(path);
            }

            @Override
            public Measured export(Path path) throws UsageException, InterruptedException {
                return space.export(path);
            }

            @Override
            public long sum(Path directory) throws UsageException, InterruptedException {
                return size.of(directory);
            }
        };
    }

    private void fill(int percent) throws IOException {
        long room = disk.toFile().getUsableSpace() + used();
        long wanted = room * percent / 100 - used();
        Files.write(disk.resolve("fill-" + percent), new byte[(int) wanted]);
    }

    private long used() {
        return disk.toFile().getTotalSpace() - disk.toFile().getFreeSpace();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tmpfs", "block"})
    void crossing85And95PercentIsTold(String kind) throws IOException, InterruptedException {
        mount(kind);
        LookoutBench bench = new LookoutBench(claim("data") + local("data", disk.toString()));
        UsageBook book = new UsageBook(bench.parts().clock());
        UsageRounds rounds = new UsageRounds(LookoutBench.NODE, book, meter(bench), server -> true, bench.parts());
        VolumeMetrics metrics = new VolumeMetrics(book, bench.parts().clock(), () -> 0, Map::of);
        bench.start(() -> new UsageWatch(LookoutBench.NODE, rounds, metrics));
        fill(50);
        bench.pass(MINUTE);
        assertThat(book.of("ns", "data").orElseThrow().percent()).isBetween(49, 51);
        assertThat(bench.told()).isEmpty();

        fill(88);
        bench.pass(MINUTE.multipliedBy(2));
        assertThat(bench.told()).hasSize(1).allMatch(each -> each.startsWith("Warning VolumeUsageHigh"));

        fill(97);
        bench.pass(MINUTE.multipliedBy(2));
        assertThat(bench.told())
                .hasSize(2)
                .anyMatch(each -> each.startsWith(
                        "Warning VolumeUsageCritical PersistentVolumeClaim/data x1: Volume" + " \"data\" is 9"));
    }
}
