package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a node from a Pod in the log to a mount in the kernel and back, with NFS servers that stop and return. */
@OnRealKernel
class RealNodeTest {
    private static final long MIB = 1024 * 1024;
    private static final Path IMAGE = Path.of("/mnt/grows.img");

    /** So many lines fit into the volume even if a busy machine grows it late. */
    private static final int MAX_LINES = 1_500_000;

    private static KernelNfsServer server;
    private static RealNodeFixture node;

    @BeforeAll
    static void boot() throws IOException {
        server = KernelNfsServer.boot(31);
        server.start();
        node = RealNodeFixture.start("whole", Path.of("/mnt/log-whole"));
    }

    @AfterAll
    static void shutDown() throws IOException {
        server.restore();
        node.close();
        server.close();
    }

    @AfterEach
    void restoreServer() {
        server.restore();
    }

    @Test
    void node_podsShareExport_laterPodSeesTheirData() throws Exception {
        server.export("/shared");
        node.put(KernelTestYaml.nfs("shared", server.address(), "/shared", "vers=4.2", "noatime", "rsize=65536"));

        ActualVolume volume = node.mount(KernelTestYaml.pod("one", "shared"));
        node.mount(KernelTestYaml.pod("two", "shared"));

        assertThat(options(volume, "one")).contains("vers=4.2", "noatime", "rsize=65536", "hard");
        assertThat(node.kernel.mounts()).hasSize(2).allMatch(each -> each.contains(server.address() + ":/shared"));
        Files.writeString(node.path("one").resolve("file"), "from one");
        assertThat(node.path("two").resolve("file")).content().isEqualTo("from one");

        node.deleteAndAwait("one", "two");
        assertNothingLeft();

        node.mount(KernelTestYaml.pod("three", "shared"));
        assertThat(node.path("three").resolve("file")).content().isEqualTo("from one");
        ActualVolume readOnly = node.mount(KernelTestYaml.readOnlyPod("four", "shared"));
        assertThat(options(readOnly, "four")).contains("ro");
        assertThat(readOnly.mountFor("four").orElseThrow().isReadOnly()).isTrue();
        assertThatThrownBy(() -> Files.writeString(node.path("four").resolve("file"), "mine"))
                .hasMessageContaining("Read-only file system");
        Files.writeString(node.path("three").resolve("file"), "from three");
        assertThat(node.path("four").resolve("file")).content().isEqualTo("from three");
        node.deleteAndAwait("three", "four");
        assertNothingLeft();
    }

    @Test
    void node_serverStopped_reportsReasonAndMountsWhenItStarts() throws Exception {
        server.export("/late");
        server.stop();
        node.put(KernelTestYaml.nfs("late", server.address(), "/late") + KernelTestYaml.pod("early", "late"));

        World refused = node.await(
                "three attempts",
                world -> RealNodeFixture.mountOf(world, "early")
                        .filter(mount -> mount.retryState().attempts() >= 3
                                && mount.state().equals(ActualVolume.FAILED))
                        .isPresent());
        ActualVolume failed = RealNodeFixture.volume(refused, "early").orElseThrow();
        ActualVolume.Mount mount = failed.mountFor("early").orElseThrow();
        assertThat(failed.state()).isEqualTo(ActualVolume.FAILED);
        // After three refusals the circuit breaker may answer instead of the server.
        assertThat(reason(mount)).isIn("ServerRefused", "ServerUnreachable");
        assertThat(mount.json().path("lastError").path("message").asText())
                .contains("refused the connection", "systemctl start nfs-server");
        assertThat(mount.retryState().nextTry()).isPresent();
        awaitEvent("early", "FailedMount: MountVolume.SetUp failed for volume \"late\" : ");
        assertThat(node.kernel.mounts()).isEmpty();

        server.start();
        long since = System.nanoTime();
        ActualVolume mounted = node.awaitMounted("early");
        DurationStats.print("mounted %d ms after the start of the server", DurationStats.millisSince(since));

        assertThat(mounted.mountFor("early").orElseThrow().retryState().attempts())
                .isZero();
        node.deleteAndAwait("early");
        assertNothingLeft();
    }

    @Test
    @Timeout(900)
    void node_serverUnreachable_affectsOnlyItsPodsWhichCanBeDeleted() throws Exception {
        Path exported = server.export("/dead");
        node.put(KernelTestYaml.nfs("dead", server.address(), "/dead"));
        for (String each : List.of("held", "idle", "patient")) {
            node.mount(KernelTestYaml.pod(each, "dead"));
        }
        Files.writeString(node.path("held").resolve("file"), "precious");
        try (KernelNfsServer other = KernelNfsServer.boot(32);
                OpenFileHolder holder = OpenFileHolder.of(node.path("held").resolve("file"))) {
            other.start();
            other.export("/alive");
            resize(32);
            node.put(KernelTestYaml.nfs("alive", other.address(), "/alive")
                    + KernelTestYaml.block("image", IMAGE.toString(), "ext4", "32Mi"));
            DurationStats before = mountAndUnmount("before");

            server.unplug();
            long since = System.nanoTime();
            Process writer = write(node.path("patient").resolve("late"));
            node.delete("held");
            node.delete("idle");
            DurationStats during = mountAndUnmount("during");
            assertThat(during.isNotMuchSlowerThan(before))
                    .as(before + " before, " + during + " while the server was unreachable")
                    .isTrue();
            for (String each : List.of("held", "idle")) {
                node.await(each + " to be removed", world -> RealNodeFixture.isGone(world, each));
                DurationStats.print(each + " was removed after at most %d ms", DurationStats.millisSince(since));
            }
            // No forced unmount: it would fail the pending requests of the other Pods.
            awaitEvent("held", "UnmountLazy: ");
            assertThat(RealNodeFixture.recordedEvents(node.world(), "held"))
                    .noneMatch(each -> each.startsWith("UnmountForced: "));
            assertThat(node.kernel.layout.pod("held").resolve("volumes/kubernetes.io~nfs/dead"))
                    .doesNotExist();
            assertThat(exported.resolve("file")).content().isEqualTo("precious");
            assertThat(KernelNodeFixture.untilEmpty(node::busy)).isEmpty();

            node.put(KernelTestYaml.pod("late", "dead"));
            World silent = node.await(
                    "a failure",
                    world -> RealNodeFixture.mountOf(world, "late")
                            .filter(mount -> mount.state().equals(ActualVolume.FAILED))
                            .isPresent());
            assertThat(reason(RealNodeFixture.mountOf(silent, "late").orElseThrow()))
                    .isEqualTo("ServerUnreachable");

            // Before the holder ends: a process with an open file ends only when the server responds.
            server.plug();
            holder.end();
            assertThat(writer.onExit().join().exitValue()).isZero();
            assertThat(exported.resolve("late")).content().isEqualTo("patience\n");
        }
        long since = System.nanoTime();
        server.restart();
        node.awaitMounted("late");
        DurationStats.print("mounted at most %d ms after the return of the server", DurationStats.millisSince(since));
        for (String each : List.of("late", "patient")) {
            assertThat(Shell.local().run("cat " + node.path(each).resolve("file")))
                    .isEqualTo("precious");
        }
        node.deleteAndAwait("late", "patient");
        assertNothingLeft();
        Files.delete(IMAGE);
    }

    /** Starts a program that writes and syncs a file. Its command line makes {@link RealNodeFixture#busy} ignore it. */
    private static Process write(Path file) throws IOException {
        return new ProcessBuilder(
                        "sh", "-c", "echo patience | dd conv=fsync of=" + file + " || exit 1; : sleep infinity")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Waits for an Event of a Pod, which is recorded after the change that it reports. */
    private static void awaitEvent(String pod, String start) {
        node.await(
                "the Event " + start + "of " + pod,
                world -> RealNodeFixture.recordedEvents(world, pod).stream().anyMatch(each -> each.startsWith(start)));
    }

    private static String reason(ActualVolume.Mount mount) {
        return mount.json().path("lastError").path("reason").asText();
    }

    /** Measures Pods with volumes of other kinds, one after the other. */
    private static DurationStats mountAndUnmount(String prefix) {
        DurationStats measured = new DurationStats();
        for (int i = 0; i < 5; i++) {
            String memory = prefix + "-memory-" + i;
            String nfs = prefix + "-nfs-" + i;
            measured.add("memory", () -> node.mount(KernelTestYaml.memoryPod(memory)));
            measured.add("nfs", () -> node.mount(KernelTestYaml.pod(nfs, "alive")));
            node.deleteAndAwait(memory, nfs);
        }
        for (int i = 0; i < 2; i++) {
            String block = prefix + "-block-" + i;
            measured.add("block", () -> node.mount(KernelTestYaml.pod(block, "image")));
            node.deleteAndAwait(block);
            node.await(
                    "the device to be detached",
                    world -> RealNodeFixture.volumes(world).stream()
                            .noneMatch(each -> each.persistentVolume().equals("image")));
        }
        DurationStats.print(prefix + ": p50 %s", measured);
        return measured;
    }

    @Test
    void node_staleHandle_isReportedAndMountedAgain() throws Exception {
        Path exported = server.export("/moved");
        Files.writeString(exported.resolve("file"), "same");
        node.put(KernelTestYaml.nfs("moved", server.address(), "/moved"));
        node.mount(KernelTestYaml.pod("reader", "moved"));
        server.unexport("/moved");
        server.export("/moved");

        AutoCloseable watch = node.watchHealth();
        node.await(
                "an Event of the Pod",
                world -> RealNodeFixture.recordedEvents(world, "reader").stream()
                        .anyMatch(each -> each.contains("the file handle is stale")));
        node.await("a new mount", world -> isHealthy(world, "reader"));
        watch.close();

        assertThat(Shell.local().run("cat " + node.path("reader").resolve("file")))
                .isEqualTo("same");
        assertThat(node.kernel.mounts()).hasSize(1);
        node.deleteAndAwait("reader");
        assertNothingLeft();
        assertThat(exported.resolve("file")).hasContent("same");
    }

    private static boolean isHealthy(World world, String pod) {
        return RealNodeFixture.mountOf(world, pod)
                .filter(each -> each.isMounted() && !each.json().has("health"))
                .isPresent();
    }

    @Test
    void node_volumeOfDeletedPodInUse_staysMountedUntilClosed() throws Exception {
        Path exported = server.export("/busy");
        Files.createDirectories(exported.resolve("below"));
        Files.writeString(exported.resolve("below/file"), "precious");
        node.put(KernelTestYaml.nfs("busy", server.address(), "/busy"));
        node.mount(KernelTestYaml.pod("busy", "busy"));
        Path target = node.path("busy");
        String before = Shell.local().run("ls -lR " + exported);
        try (OpenFileHolder holder = OpenFileHolder.of(target.resolve("below/file"))) {
            node.delete("busy");
            World busy = node.await(
                    "two attempts",
                    world -> RealNodeFixture.mountOf(world, "busy")
                            .filter(mount -> mount.retryState().attempts() >= 2
                                    && mount.operation().isEmpty())
                            .isPresent());

            ActualVolume volume = RealNodeFixture.volume(busy, "busy").orElseThrow();
            assertThat(volume.state()).isEqualTo(ActualVolume.UNCERTAIN);
            assertThat(reason(volume.mountFor("busy").orElseThrow())).isEqualTo("Busy");
            awaitEvent("busy", "FailedUnMount: ");
            assertThat(node.kernel.mounts()).hasSize(1);
            assertThat(Shell.local().run("cat " + target.resolve("below/file"))).isEqualTo("precious");
            assertThat(Shell.local().run("ls -lR " + exported)).isEqualTo(before);
            holder.end();
        }
        node.await("the Pod to be removed", world -> RealNodeFixture.isGone(world, "busy"));
        assertThat(target).doesNotExist();
        assertThat(Shell.local().run("ls -lR " + exported)).isEqualTo(before);
        assertNothingLeft();
    }

    @Test
    void node_blockVolume_isFormattedAndGrownWhileWritten() throws Exception {
        resize(48);
        node.put(KernelTestYaml.block("grows", IMAGE.toString(), "ext4", "48Mi"));
        ActualVolume small = node.mount(KernelTestYaml.pod("writer", "grows"));
        assertThat(small.capacity().orElseThrow().value()).isEqualTo(48 * MIB);
        Path filling = node.path("writer").resolve("filling");
        IOException full = catchThrowableOfType(IOException.class, () -> Files.write(filling, new byte[64 << 20]));
        assertThat(full).hasMessageContaining("No space left on device");
        assertThat(Files.size(filling)).isBetween(32 * MIB, 48 * MIB);
        Files.delete(filling);

        Path log = node.path("writer").resolve("log");
        FileStore store = Files.getFileStore(log.getParent());
        long before = store.getTotalSpace();
        AtomicBoolean stopped = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Integer> writer = CompletableFuture.supplyAsync(() -> write(log, started, stopped));
        assertThat(started.await(180, TimeUnit.SECONDS)).isTrue();
        resize(96);
        node.put(KernelTestYaml.block("grows", IMAGE.toString(), "ext4", "96Mi"));
        node.await(
                "the volume to grow",
                world -> RealNodeFixture.volume(world, "writer")
                        .filter(each -> each.capacity().orElseThrow().value() == 96 * MIB)
                        .isPresent());
        stopped.set(true);
        int lines = writer.get(180, TimeUnit.SECONDS);

        assertThat(store.getTotalSpace()).isBetween(before + 24 * MIB, 96 * MIB);
        assertThat(Shell.local().run("grep -c . " + log, "tail -n 1 " + log))
                .isEqualTo(lines + "\nline " + lines + '\n');
        awaitEvent("writer", "FileSystemResizeSuccessful: ");
        node.deleteAndAwait("writer");
        node.await(
                "the device to be detached",
                world -> RealNodeFixture.volumes(world).isEmpty());
        assertNothingLeft();
        assertThat(node.kernel.loopDevices()).isEmpty();

        node.mount(KernelTestYaml.pod("successor", "grows"));
        assertThat(Shell.local().run("tail -n 1 " + node.path("successor").resolve("log")))
                .isEqualTo("line " + lines + '\n');
        node.deleteAndAwait("successor");
        node.await(
                "the device to be detached",
                world -> RealNodeFixture.volumes(world).isEmpty());
        Files.delete(IMAGE);
    }

    private static void resize(long mebibytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(IMAGE.toFile(), "rw")) {
            file.setLength(mebibytes * MIB);
        }
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
            throw new AssertionError(e);
        }
        return lines;
    }

    private static List<String> options(ActualVolume volume, String pod) {
        List<String> options = new ArrayList<>();
        volume.mountFor(pod).orElseThrow().json().path("options").forEach(each -> options.add(each.asText()));
        return options;
    }

    /** Asserts that no Pod has left a mount, an ActualVolume, a directory, a thread or a program. */
    private static void assertNothingLeft() throws IOException {
        node.await("no ActualVolume", world -> RealNodeFixture.volumes(world).isEmpty());
        assertThat(node.kernel.mounts()).isEmpty();
        assertThat(KernelNodeFixture.untilEmpty(node.kernel::leftovers)).isEmpty();
        assertThat(KernelNodeFixture.untilEmpty(node::busy)).isEmpty();
    }
}
