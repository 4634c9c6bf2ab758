package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.SetUpDone;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Block volumes with all that the kernel has to do for them; root may grow file systems while they are used here. */
@OnRealKernel
class RealBlockTest {
    private static final long MIB = 1024 * 1024;
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private KernelNode node;
    private BlockPlugin plugin;
    private Path image;

    @BeforeEach
    void start() throws IOException {
        node = KernelNode.at("block");
        plugin = new BlockPlugin(node.parts(DEADLINE));
        image = Path.of("/mnt/volume.img");
    }

    @AfterEach
    void cleanUp() throws IOException {
        node.close();
        Shell.here()
                .run("for each in $(losetup -n -O NAME -j " + image + "); do losetup -d $each; done", "rm -f " + image);
    }

    @Test
    void aVolumeIsFullAtItsSizeAndDetachesWithoutATrace() throws Exception {
        VolumeSpec volume = volume("ext4", 48);
        DeviceState device = mountDevice(volume);
        SetUpDone done = setUp("one", volume, device);

        long written = fill(done.path().resolve("file"));

        assertThat(written).isBetween(32 * MIB, 48 * MIB);
        tearDown("one", volume);
        plugin.unmountDevice(volume, device, node.progress);
        plugin.detach(volume, node.progress);
        assertThat(node.mounts()).isEmpty();
        assertThat(Shell.here().run("losetup -a")).isEmpty();
        assertThat(node.children()).isEmpty();

        SetUpDone again = setUp("two", volume, mountDevice(volume));
        assertThat(again.path().resolve("file")).hasSize(written);
    }

    @ParameterizedTest
    @CsvSource({"ext4, 48, 96", "xfs, 320, 400"})
    void growsWhileItIsWrittenTo(String fsType, long before, long after) throws Exception {
        VolumeSpec volume = volume(fsType, before);
        DeviceState device = mountDevice(volume);
        SetUpDone done = setUp("one", volume, device);
        FileStore store = Files.getFileStore(done.path());
        long small = store.getTotalSpace();
        Path file = done.path().resolve("log");
        AtomicBoolean enough = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Integer> writer = CompletableFuture.supplyAsync(() -> write(file, begun, enough));
        begun.await();

        resize(after);
        Optional<Long> grown = plugin.expand(volume(fsType, after), device, node.progress);
        enough.set(true);

        int lines = writer.join();
        assertThat(grown).hasValueSatisfying(bytes -> assertThat(bytes).isGreaterThan(small));
        assertThat(store.getTotalSpace()).isBetween(small + (after - before) * MIB / 2, after * MIB);
        assertThat(Shell.here().run("grep -c . " + file, "tail -n 1 " + file))
                .isEqualTo(lines + "\nline " + lines + '\n');
    }

    @Test
    void aFullVolumeHasRoomAgainOnceItHasGrown() throws Exception {
        VolumeSpec volume = volume("ext4", 32);
        DeviceState device = mountDevice(volume);
        SetUpDone done = setUp("one", volume, device);
        fill(done.path().resolve("first"));

        resize(64);
        assertThat(plugin.expand(volume("ext4", 64), device, node.progress)).isPresent();

        assertThat(fill(done.path().resolve("second"))).isGreaterThan(16 * MIB);
    }

    @Test
    void refusesToFormatWhatHoldsSomething() throws Exception {
        VolumeSpec volume = volume("ext4", 48);
        Shell.here().run("mkfs.xfs -q -f " + imageOf(320));
        String before = Shell.here().run("sha256sum " + image);

        VolumeException failure = catchThrowableOfType(VolumeException.class, () -> mountDevice(volume));

        assertThat(failure.reason()).isEqualTo("NotEmpty");
        assertThat(Shell.here().run("sha256sum " + image)).isEqualTo(before);
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void doesNotDetachWhatIsMounted() throws Exception {
        VolumeSpec volume = volume("ext4", 48);
        mountDevice(volume);

        assertThatThrownBy(() -> plugin.detach(volume, node.progress)).hasMessageContaining("still in use");
        assertThat(node.mounts()).hasSize(1);
    }

    private VolumeSpec volume(String fsType, long mebibytes) throws IOException {
        if (!Files.exists(image)) {
            imageOf(mebibytes);
        }
        return KernelNode.block(image, fsType, mebibytes * MIB);
    }

    private Path imageOf(long mebibytes) throws IOException {
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

    private SetUpDone setUp(String pod, VolumeSpec volume, DeviceState device) throws Exception {
        return plugin.setUp(node.setUp(plugin, pod, volume, Access.READ_WRITE, Optional.of(device)), node.progress);
    }

    private void tearDown(String pod, VolumeSpec volume) throws Exception {
        plugin.tearDown(node.tearDown(plugin, pod, volume), node.progress);
    }

    /** Until the volume is full; answers how much found room. */
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

    private static int write(Path file, CountDownLatch begun, AtomicBoolean enough) {
        int lines = 0;
        try (OutputStream out = Files.newOutputStream(file)) {
            while (!enough.get()) {
                lines++;
                out.write(("line " + lines + '\n').getBytes(StandardCharsets.US_ASCII));
                begun.countDown();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lines;
    }
}
