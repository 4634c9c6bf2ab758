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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node as it is in a server, from a Pod in the log to a mount in the kernel and back, with servers that come and go. */
@OnRealKernel
class RealNodeTest {
    private static final long MIB = 1024 * 1024;
    private static final Path IMAGE = Path.of("/mnt/grows.img");

    private static NfsServer server;
    private static WholeNode node;

    @BeforeAll
    static void boot() throws IOException {
        server = NfsServer.boot(31);
        server.start();
        node = WholeNode.start("whole", Path.of("/mnt/log-whole"));
    }

    @AfterAll
    static void goAway() throws IOException {
        server.wake();
        node.close();
        server.close();
    }

    @AfterEach
    void wakeUp() {
        server.wake();
    }

    @Test
    void podsShareAnExportAndTheNextOneFindsWhatTheyLeft() throws Exception {
        server.export("/shared");
        node.put(Yaml.nfs("shared", server.address(), "/shared", "vers=4.2", "noatime", "rsize=65536"));

        ActualVolume volume = node.mount(Yaml.pod("one", "shared"));
        node.mount(Yaml.pod("two", "shared"));

        assertThat(texts(volume, "one")).contains("vers=4.2", "noatime", "rsize=65536", "hard");
        assertThat(node.kernel.mounts()).hasSize(2).allMatch(each -> each.contains(server.address() + ":/shared"));
        Files.writeString(node.path("one").resolve("file"), "from one");
        assertThat(node.path("two").resolve("file")).content().isEqualTo("from one");

        node.deleteAndAwait("one", "two");
        nothingIsLeft();

        node.mount(Yaml.pod("three", "shared"));
        assertThat(node.path("three").resolve("file")).content().isEqualTo("from one");
        ActualVolume readOnly = node.mount(Yaml.readOnlyPod("four", "shared"));
        assertThat(texts(readOnly, "four")).contains("ro");
        assertThat(readOnly.mountFor("four").orElseThrow().isReadOnly()).isTrue();
        assertThatThrownBy(() -> Files.writeString(node.path("four").resolve("file"), "mine"))
                .hasMessageContaining("Read-only file system");
        Files.writeString(node.path("three").resolve("file"), "from three");
        assertThat(node.path("four").resolve("file")).content().isEqualTo("from three");
        node.deleteAndAwait("three", "four");
        nothingIsLeft();
    }

    @Test
    void aServerThatComesLateIsWaitedForInWords() throws Exception {
        server.export("/late");
        server.stop();
        node.put(Yaml.nfs("late", server.address(), "/late") + Yaml.pod("early", "late"));

        World refused = node.await(
                "three attempts",
                world -> WholeNode.mountOf(world, "early")
                        .filter(mount ->
                                mount.trying().attempts() >= 3 && mount.state().equals(ActualVolume.FAILED))
                        .isPresent());
        ActualVolume failed = WholeNode.volume(refused, "early").orElseThrow();
        ActualVolume.Mount mount = failed.mountFor("early").orElseThrow();
        assertThat(failed.state()).isEqualTo(ActualVolume.FAILED);
        // One that has refused three times is not asked each time.
        assertThat(reason(mount)).isIn("ServerRefused", "ServerUnreachable");
        assertThat(mount.json().path("lastError").path("message").asText())
                .contains("refused the connection", "systemctl start nfs-server");
        assertThat(mount.trying().nextTry()).isPresent();
        assertThat(WholeNode.told(node.world(), "early"))
                .anyMatch(each -> each.startsWith("FailedMount: MountVolume.SetUp failed for volume \"late\" : "));
        assertThat(node.kernel.mounts()).isEmpty();

        server.start();
        long since = System.nanoTime();
        ActualVolume mounted = node.awaitMounted("early");
        Measured.print("mounted %d ms after the server had come", Measured.millisSince(since));

        assertThat(mounted.mountFor("early").orElseThrow().trying().attempts()).isZero();
        node.deleteAndAwait("early");
        nothingIsLeft();
    }

    @Test
    @Timeout(900)
    void aDeadServerConcernsItsOwnPodsOnlyAndTheyCanGo() throws Exception {
        Path exported = server.export("/dead");
        node.put(Yaml.nfs("dead", server.address(), "/dead"));
        for (String each : List.of("held", "idle", "patient")) {
            node.mount(Yaml.pod(each, "dead"));
        }
        Files.writeString(node.path("held").resolve("file"), "precious");
        try (NfsServer other = NfsServer.boot(32);
                Holder holder = Holder.of(node.path("held").resolve("file"))) {
            other.start();
            other.export("/alive");
            resize(32);
            node.put(Yaml.nfs("alive", other.address(), "/alive")
                    + Yaml.block("image", IMAGE.toString(), "ext4", "32Mi"));
            Measured before = comeAndGo("before");

            server.unplug();
            long since = System.nanoTime();
            Process writer = write(node.path("patient").resolve("late"));
            node.delete("held");
            node.delete("idle");
            Measured during = comeAndGo("during");
            assertThat(during.isNotMuchSlowerThan(before))
                    .as(before + " before, " + during + " while the server was dead")
                    .isTrue();
            for (String each : List.of("held", "idle")) {
                node.await("the end of " + each, world -> WholeNode.isGone(world, each));
                Measured.print(each + " was gone after at most %d ms", Measured.millisSince(since));
            }
            // Not by force: that would end what the others wait for.
            assertThat(WholeNode.told(node.world(), "held"))
                    .noneMatch(each -> each.startsWith("UnmountForced: "))
                    .anyMatch(each -> each.startsWith("UnmountLazy: "));
            assertThat(node.kernel.layout.pod("held").resolve("volumes/kubernetes.io~nfs/dead"))
                    .doesNotExist();
            assertThat(exported.resolve("file")).content().isEqualTo("precious");
            assertThat(KernelNode.atLast(node::busy)).isEmpty();

            node.put(Yaml.pod("late", "dead"));
            World silent = node.await(
                    "a failure",
                    world -> WholeNode.mountOf(world, "late")
                            .filter(mount -> mount.state().equals(ActualVolume.FAILED))
                            .isPresent());
            assertThat(reason(WholeNode.mountOf(silent, "late").orElseThrow())).isEqualTo("ServerUnreachable");

            // Before a process that has a file of it open: that one ends only when the server has heard of it.
            server.plug();
            holder.end();
            assertThat(writer.onExit().join().exitValue()).isZero();
            assertThat(exported.resolve("late")).content().isEqualTo("patience\n");
        }
        long since = System.nanoTime();
        server.restart();
        node.awaitMounted("late");
        Measured.print("mounted at most %d ms after the server was back", Measured.millisSince(since));
        for (String each : List.of("late", "patient")) {
            assertThat(Shell.here().run("cat " + node.path(each).resolve("file")))
                    .isEqualTo("precious");
        }
        node.deleteAndAwait("late", "patient");
        nothingIsLeft();
        Files.delete(IMAGE);
    }

    /** A program that waits until what it has written is with the server. Its words make {@link WholeNode#busy} pass it over. */
    private static Process write(Path file) throws IOException {
        return new ProcessBuilder(
                        "sh", "-c", "echo patience | dd conv=fsync of=" + file + " || exit 1; : sleep infinity")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static String reason(ActualVolume.Mount mount) {
        return mount.json().path("lastError").path("reason").asText();
    }

    /** Pods with volumes of other kinds, one after the other. */
    private static Measured comeAndGo(String prefix) {
        Measured measured = new Measured();
        for (int i = 0; i < 5; i++) {
            String memory = prefix + "-memory-" + i;
            String nfs = prefix + "-nfs-" + i;
            measured.add("memory", () -> node.mount(Yaml.memoryPod(memory)));
            measured.add("nfs", () -> node.mount(Yaml.pod(nfs, "alive")));
            node.deleteAndAwait(memory, nfs);
        }
        for (int i = 0; i < 2; i++) {
            String block = prefix + "-block-" + i;
            measured.add("block", () -> node.mount(Yaml.pod(block, "image")));
            node.deleteAndAwait(block);
            node.await(
                    "the device to be given back",
                    world -> WholeNode.volumes(world).stream()
                            .noneMatch(each -> each.persistentVolume().equals("image")));
        }
        Measured.print(prefix + ": p50 %s", measured);
        return measured;
    }

    @Test
    void aStaleHandleIsFoundToldAndReplaced() throws Exception {
        Path exported = server.export("/moved");
        Files.writeString(exported.resolve("file"), "same");
        node.put(Yaml.nfs("moved", server.address(), "/moved"));
        node.mount(Yaml.pod("reader", "moved"));
        server.unexport("/moved");
        server.export("/moved");

        AutoCloseable watch = node.watchHealth();
        node.await(
                "the Pod to be told",
                world -> WholeNode.told(world, "reader").stream()
                        .anyMatch(each -> each.contains("the file handle is stale")));
        node.await("a new mount", world -> isWell(world, "reader"));
        watch.close();

        assertThat(Shell.here().run("cat " + node.path("reader").resolve("file")))
                .isEqualTo("same");
        assertThat(node.kernel.mounts()).hasSize(1);
        node.deleteAndAwait("reader");
        nothingIsLeft();
        assertThat(exported.resolve("file")).hasContent("same");
    }

    private static boolean isWell(World world, String pod) {
        return WholeNode.mountOf(world, pod)
                .filter(each -> each.isMounted() && !each.json().has("health"))
                .isPresent();
    }

    @Test
    void whatIsInUseOnALiveServerStaysUntilItIsNot() throws Exception {
        Path exported = server.export("/busy");
        Files.createDirectories(exported.resolve("below"));
        Files.writeString(exported.resolve("below/file"), "precious");
        node.put(Yaml.nfs("busy", server.address(), "/busy"));
        node.mount(Yaml.pod("busy", "busy"));
        Path target = node.path("busy");
        String before = Shell.here().run("ls -lR " + exported);
        try (Holder holder = Holder.of(target.resolve("below/file"))) {
            node.delete("busy");
            World busy = node.await(
                    "two attempts",
                    world -> WholeNode.mountOf(world, "busy")
                            .filter(mount -> mount.trying().attempts() >= 2
                                    && mount.operation().isEmpty())
                            .isPresent());

            ActualVolume volume = WholeNode.volume(busy, "busy").orElseThrow();
            assertThat(volume.state()).isEqualTo(ActualVolume.UNCERTAIN);
            assertThat(reason(volume.mountFor("busy").orElseThrow())).isEqualTo("Busy");
            assertThat(WholeNode.told(node.world(), "busy")).anyMatch(each -> each.startsWith("FailedUnMount: "));
            assertThat(node.kernel.mounts()).hasSize(1);
            assertThat(Shell.here().run("cat " + target.resolve("below/file"))).isEqualTo("precious");
            assertThat(Shell.here().run("ls -lR " + exported)).isEqualTo(before);
            holder.end();
        }
        node.await("the end of it", world -> WholeNode.isGone(world, "busy"));
        assertThat(target).doesNotExist();
        assertThat(Shell.here().run("ls -lR " + exported)).isEqualTo(before);
        nothingIsLeft();
    }

    @Test
    void aBlockVolumeIsFormattedFilledAndGrownWhileItIsWrittenTo() throws Exception {
        resize(48);
        node.put(Yaml.block("grows", IMAGE.toString(), "ext4", "48Mi"));
        ActualVolume small = node.mount(Yaml.pod("writer", "grows"));
        assertThat(small.capacity().orElseThrow().value()).isEqualTo(48 * MIB);
        Path filling = node.path("writer").resolve("filling");
        IOException full = catchThrowableOfType(IOException.class, () -> Files.write(filling, new byte[64 << 20]));
        assertThat(full).hasMessageContaining("No space left on device");
        assertThat(Files.size(filling)).isBetween(32 * MIB, 48 * MIB);
        Files.delete(filling);

        Path log = node.path("writer").resolve("log");
        FileStore store = Files.getFileStore(log.getParent());
        long before = store.getTotalSpace();
        AtomicBoolean enough = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Integer> writer = CompletableFuture.supplyAsync(() -> write(log, begun, enough));
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        resize(96);
        node.put(Yaml.block("grows", IMAGE.toString(), "ext4", "96Mi"));
        node.await(
                "it to grow",
                world -> WholeNode.volume(world, "writer")
                        .filter(each -> each.capacity().orElseThrow().value() == 96 * MIB)
                        .isPresent());
        enough.set(true);
        int lines = writer.get(60, TimeUnit.SECONDS);

        assertThat(store.getTotalSpace()).isBetween(before + 24 * MIB, 96 * MIB);
        assertThat(Shell.here().run("grep -c . " + log, "tail -n 1 " + log))
                .isEqualTo(lines + "\nline " + lines + '\n');
        node.await(
                "the Pod to be told",
                world -> WholeNode.told(world, "writer").stream()
                        .anyMatch(each -> each.startsWith("FileSystemResizeSuccessful: ")));
        node.deleteAndAwait("writer");
        node.await(
                "the device to be given back", world -> WholeNode.volumes(world).isEmpty());
        nothingIsLeft();
        assertThat(Shell.here().run("losetup -a")).isEmpty();

        node.mount(Yaml.pod("successor", "grows"));
        assertThat(Shell.here().run("tail -n 1 " + node.path("successor").resolve("log")))
                .isEqualTo("line " + lines + '\n');
        node.deleteAndAwait("successor");
        node.await(
                "the device to be given back", world -> WholeNode.volumes(world).isEmpty());
        Files.delete(IMAGE);
    }

    private static void resize(long mebibytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(IMAGE.toFile(), "rw")) {
            file.setLength(mebibytes * MIB);
        }
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
            throw new AssertionError(e);
        }
        return lines;
    }

    private static List<String> texts(ActualVolume volume, String pod) {
        List<String> texts = new ArrayList<>();
        volume.mountFor(pod).orElseThrow().json().path("options").forEach(each -> texts.add(each.asText()));
        return texts;
    }

    /** Of any Pod: no mount, no entry, no directory, no thread and no program at work. */
    private static void nothingIsLeft() throws IOException {
        assertThat(node.kernel.mounts()).isEmpty();
        assertThat(WholeNode.volumes(node.world())).isEmpty();
        assertThat(KernelNode.atLast(node.kernel::leftovers)).isEmpty();
        assertThat(KernelNode.atLast(node::busy)).isEmpty();
    }
}
