package dev.mooring.node.monitor;

import static dev.mooring.node.monitor.ClaimYaml.claim;
import static dev.mooring.node.monitor.ClaimYaml.local;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.ChildProcess;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.work.DirectorySize;
import dev.mooring.volume.work.FileSystemMeter;
import dev.mooring.volume.work.MeasuredSpace;
import dev.mooring.volume.work.UsageException;
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

/** Tests usage Events with real file systems that are filled; only the clock is virtual. */
class RealUsageTest {
    private static final int MI = 1 << 20;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    Path temporary;

    private Path disk;

    @BeforeEach
    void prepare() throws IOException {
        HostMachine.assumeRoot();
        disk = Files.createDirectory(temporary.toRealPath().resolve("disk"));
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (MountTable.read().isMountPoint(disk)) {
            HostMachine.run("umount", disk.toString());
        }
    }

    private void mount(String type) throws IOException, InterruptedException {
        if (type.equals("tmpfs")) {
            HostMachine.run("mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", disk.toString());
            return;
        }
        Path image = temporary.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(48L * MI);
        }
        HostMachine.run("mkfs.ext4", "-q", "-m", "0", image.toString());
        HostMachine.run("mount", "-o", "loop", image.toString(), disk.toString());
    }

    private UsageCollector.Meter meter(NodeControllersFixture fixture) {
        ChildProcess children = new ChildProcess();
        LinuxMounter mounter =
                new LinuxMounter(new NodeLayout(temporary.resolve("root")), SystemCalls.real(), children);
        FileSystemMeter space = new FileSystemMeter(
                mounter, SystemCalls.real(), children, fixture.context().clock());
        DirectorySize size = new DirectorySize(children);
        return new UsageCollector.Meter() {
            @Override
            public Optional<MeasuredSpace> measureNow(Path path) throws UsageException {
                return space.measureLocal(path);
            }

            @Override
            public MeasuredSpace measureBlocking(Path path) throws UsageException, InterruptedException {
                return space.measureInChild(path);
            }

            @Override
            public MeasuredSpace measureExport(Path path) throws UsageException, InterruptedException {
                return space.measureExport(path);
            }

            @Override
            public long directorySize(Path directory) throws UsageException, InterruptedException {
                return size.of(directory);
            }
        };
    }

    private void fill(int percent) throws IOException {
        long capacity = disk.toFile().getUsableSpace() + used();
        long bytes = capacity * percent / 100 - used();
        Files.write(disk.resolve("fill-" + percent), new byte[(int) bytes]);
    }

    private long used() {
        return disk.toFile().getTotalSpace() - disk.toFile().getFreeSpace();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tmpfs", "block"})
    void usage_above85And95Percent_recordsEvents(String type) throws IOException, InterruptedException {
        mount(type);
        NodeControllersFixture fixture = new NodeControllersFixture(claim("data") + local("data", disk.toString()));
        UsageCache cache = new UsageCache(fixture.context().clock());
        UsageCollector collector = new UsageCollector(
                NodeControllersFixture.NODE, cache, meter(fixture), server -> true, fixture.context());
        VolumeMetrics metrics = new VolumeMetrics(cache, fixture.context().clock(), () -> 0, Map::of);
        fixture.start(() -> new UsageController(NodeControllersFixture.NODE, cache, metrics), collector);
        fill(50);
        fixture.pass(MINUTE);
        assertThat(cache.of("ns", "data").orElseThrow().percent()).isBetween(49, 51);
        assertThat(fixture.recordedEvents()).isEmpty();

        fill(88);
        fixture.pass(MINUTE.multipliedBy(2));
        assertThat(fixture.recordedEvents()).hasSize(1).allMatch(each -> each.startsWith("Warning VolumeUsageHigh"));

        fill(97);
        fixture.pass(MINUTE.multipliedBy(2));
        assertThat(fixture.recordedEvents())
                .hasSize(2)
                .anyMatch(each -> each.startsWith(
                        "Warning VolumeUsageCritical PersistentVolumeClaim/data x1: Volume" + " \"data\" is 9"));
    }
}
