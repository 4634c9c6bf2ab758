package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.block.BlockPlugin;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests block volumes on a real kernel, including online growth of filesystems. */
@OnRealKernel
class RealBlockTest {
    private static final long MIB = 1024 * 1024;
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    /** So many lines fit into the volume even if a busy machine grows it late. */
    private static final int MAX_LINES = 1_500_000;

    private KernelNodeFixture node;
    private BlockPlugin plugin;
    private Path image;

    @BeforeEach
    void start() throws IOException {
        node = KernelNodeFixture.at("block");
        plugin = new BlockPlugin(node.pluginContext(DEADLINE));
        image = Path.of("/mnt/volume.img");
    }

    @AfterEach
    void cleanUp() throws IOException {
        node.close();
        Shell.local()
                .run("for each in $(losetup -n -O NAME -j " + image + "); do losetup -d $each; done", "rm -f " + image);
    }

    @Test
    void blockVolume_filledAndDetached_isLimitedToItsSizeAndLeavesNoDevice() throws Exception {
        VolumeSpec volume = volume("ext4", 48);
        DeviceState device = mountDevice(volume);
        SetUpResult result = setUp("one", volume, device);

        long written = fill(result.path().resolve("file"));

        assertThat(written).isBetween(32 * MIB, 48 * MIB);
        tearDown("one", volume);
        plugin.unmountDevice(volume, device, node.progress);
        plugin.detach(volume, node.progress);
        assertThat(node.mounts()).isEmpty();
        assertThat(node.loopDevices()).isEmpty();
        assertThat(KernelNodeFixture.untilEmpty(node::children)).isEmpty();

        SetUpResult second = setUp("two", volume, mountDevice(volume));
        assertThat(second.path().resolve("file")).hasSize(written);
    }

    @ParameterizedTest
    @CsvSource({"ext4, 48, 96", "xfs, 320, 400"})
    void expand_volumeBeingWritten_growsWithoutLoss(String fsType, long before, long after) throws Exception {
        VolumeSpec volume = volume(fsType, before);
        DeviceState device = mountDevice(volume);
        SetUpResult result = setUp("one", volume, device);
        FileStore store = Files.getFileStore(result.path());
        long initialSize = store.getTotalSpace();
        Path file = result.path().resolve("log");
        AtomicBoolean stopped = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Integer> writer = CompletableFuture.supplyAsync(() -> write(file, started, stopped));
        started.await();

        resize(after);
        Optional<Long> grown = plugin.expand(volume(fsType, after), device, node.progress);
        stopped.set(true);

        int lines = writer.join();
        assertThat(grown).hasValueSatisfying(bytes -> assertThat(bytes).isGreaterThan(initialSize));
        assertThat(store.getTotalSpace()).isBetween(initialSize + (after - before) * MIB / 2, after * MIB);
        assertThat(Shell.local().run("grep -c . " + file, "tail -n 1 " + file))
                .isEqualTo(lines + "\nline " + lines + '\n');
    }

    @Test
    void expand_fullVolume_hasSpaceAgain() throws Exception {
        VolumeSpec volume = volume("ext4", 32);
        DeviceState device = mountDevice(volume);
        SetUpResult result = setUp("one", volume, device);
        fill(result.path().resolve("first"));

        resize(64);
        assertThat(plugin.expand(volume("ext4", 64), device, node.progress)).isPresent();

        assertThat(fill(result.path().resolve("second"))).isGreaterThan(16 * MIB);
    }

    @Test
    void mountDevice_imageWithOtherFilesystem_isRefusedUnchanged() throws Exception {
        VolumeSpec volume = volume("ext4", 48);
        Shell.local().run("mkfs.xfs -q -f " + createImage(320));
        String before = Shell.local().run("sha256sum " + image);

        VolumeException failure = catchThrowableOfType(VolumeException.class, () -> mountDevice(volume));

        assertThat(failure.reason()).isEqualTo("NotEmpty");
        assertThat(Shell.local().run("sha256sum " + image)).isEqualTo(before);
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void detach_mountedVolume_isRefused() throws Exception {
        VolumeSpec volume = volume("ext4", 48);
        mountDevice(volume);

        assertThatThrownBy(() -> plugin.detach(volume, node.progress)).hasMessageContaining("still in use");
        assertThat(node.mounts()).hasSize(1);
    }

    private VolumeSpec volume(String fsType, long mebibytes) throws IOException {
        if (!Files.exists(image)) {
            createImage(mebibytes);
        }
        return KernelNodeFixture.block(image, fsType, mebibytes * MIB);
    }

    private Path createImage(long mebibytes) throws IOException {
        Files.deleteIfExists(image);
        Files.createFile(image);
        resize(mebibytes);
        return image;
    }

    private void resize(long mebibytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(mebibytes * MIB);
        }
    }

    private DeviceState mountDevice(VolumeSpec volume) throws Exception {
        String path = plugin.attach(volume, node.progress);
        return plugin.mountDevice(volume, path, Access.READ_WRITE, node.progress);
    }

    private SetUpResult setUp(String pod, VolumeSpec volume, DeviceState device) throws Exception {
        return plugin.setUp(node.setUp(plugin, pod, volume, Access.READ_WRITE, Optional.of(device)), node.progress);
    }

    private void tearDown(String pod, VolumeSpec volume) throws Exception {
        plugin.tearDown(node.tearDown(plugin, pod, volume), node.progress);
    }

    /** Writes until the volume is full; returns the size of the file. */
    private static long fill(Path file) throws IOException {
        byte[] chunk = new byte[256 * 1024];
        IOException full = catchThrowableOfType(IOException.class, () -> {
            try (OutputStream out = Files.newOutputStream(file)) {
                for (int i = 0; i < 4096; i++) {
                    out.write(chunk);
                }
            }
        });
        assertThat(full).hasMessageContaining("No space left on device");
        return Files.size(file);
    }

    private static int write(Path file, CountDownLatch started, AtomicBoolean stopped) {
        int lines = 0;
        try (OutputStream out = Files.newOutputStream(file)) {
            while (!stopped.get()) {
                if (lines == MAX_LINES) {
                    LockSupport.parkNanos(1_000_000);
                    continue;
                }
                lines++;
                out.write(("line " + lines + '\n').getBytes(StandardCharsets.US_ASCII));
                started.countDown();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines;
    }
}
