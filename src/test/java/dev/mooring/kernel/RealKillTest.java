package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.host.MountTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Kills a node with SIGKILL between any two events of a volume and restarts it on its log. To save time, each run ends
 * at several points at once, see {@link KillPoints}; the next run must detect and finish the open operations.
 */
@OnRealKernel
class RealKillTest {
    private static final long MIB = 1024 * 1024;
    private static final Path LOG = Path.of("/mnt/log-killed");
    private static final Path YAML = Path.of("/mnt/killed.yaml");
    private static final Path IMAGES = Path.of("/mnt/images");
    private static final List<String> ALL = List.of("a", "b", "c");

    private KernelNfsServer server;
    private KernelNodeFixture node;
    private Path exported;
    private String exportedBefore;

    @BeforeEach
    void boot() throws IOException {
        node = KernelNodeFixture.at("killed");
        Files.createDirectories(IMAGES);
        for (String each : ALL) {
            resize(each, 32);
        }
        server = KernelNfsServer.boot(33);
        server.start();
        exported = server.export("/kept");
        Files.createDirectories(exported.resolve("below"));
        Files.writeString(exported.resolve("file"), "precious");
        Files.writeString(exported.resolve("below/file"), "precious too");
        exportedBefore = exportedFiles();
    }

    @AfterEach
    void shutDown() throws IOException {
        node.close();
        // Only its own loop devices: they are not isolated by namespaces.
        Shell.local()
                .run(
                        "for image in " + IMAGES
                                + "/*; do for each in $(losetup -n -O NAME -j $image); do losetup -d $each; done; done",
                        "rm -rf " + IMAGES + ' ' + LOG + ' ' + YAML);
        server.close();
    }

    @Test
    @Timeout(900)
    void node_killedBetweenEvents_losesRepeatsAndLeavesNothing() throws Exception {
        runUntilKilled(allObjects("32Mi"), () -> {}, "blk volume_attach", "nfs volume_mount");
        runUntilKilled("", () -> {}, "blk mount_device");
        runUntilKilled("", this::writeEarly, "blk volume_mount");
        for (String each : ALL) {
            resize(each, 64);
        }
        runUntilKilled(blocks("64Mi"), this::writeLate, "blk expand_volume");
        runUntilKilled(deleted(), this::assertGrown, "blk volume_unmount", "nfs volume_unmount");
        runUntilKilled("", () -> {}, "blk unmount_device");
        runUntilKilled("", () -> {}, "blk volume_detach");
        runUntilKilled("", this::assertNothingLeft);

        for (String each : ALL) {
            assertThat(contentOf(each)).isEqualTo("early\nlate\n");
        }
    }

    /** Starts a node, waits until it reaches the kill points, and kills it. */
    private void runUntilKilled(String yaml, Check beforeKill, String... points) throws Exception {
        Files.writeString(YAML, yaml);
        long since = System.nanoTime();
        Process child = start(points);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(CompletableFuture.supplyAsync(() -> read(lines)).get(240, TimeUnit.SECONDS))
                    .isEqualTo(KillableNodeMain.REACHED);
            DurationStats.print(
                    "%d ms to %s", DurationStats.millisSince(since), points.length == 0 ? "the end" : List.of(points));
            assertNoDuplicates();
            beforeKill.run();
        } finally {
            child.destroyForcibly().waitFor();
        }
        assertNoDuplicates();
        assertThat(exportedFiles()).isEqualTo(exportedBefore);
    }

    private static String read(BufferedReader lines) {
        try {
            return lines.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Check {
        void run() throws Exception;
    }

    private static Process start(String... points) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-Xmx128m",
                "-Xmn16m",
                "-Xss512k",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-Djna.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-cp",
                System.getProperty("java.class.path"),
                KillableNodeMain.class.getName(),
                "killed",
                LOG.toString(),
                YAML.toString()));
        command.addAll(List.of(points));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private String allObjects(String size) {
        StringBuilder yaml = new StringBuilder(blocks(size));
        for (String each : ALL) {
            yaml.append(KernelTestYaml.nfs("nfs-" + each, server.address(), "/kept"))
                    .append(KernelTestYaml.pod("nfs-pod-" + each, "nfs-" + each))
                    .append(KernelTestYaml.pod("blk-pod-" + each, "blk-" + each));
        }
        return yaml.toString();
    }

    private static String blocks(String size) {
        StringBuilder yaml = new StringBuilder();
        for (String each : ALL) {
            yaml.append(KernelTestYaml.block("blk-" + each, image(each).toString(), "ext4", size));
        }
        return yaml.toString();
    }

    private static String deleted() {
        StringBuilder yaml = new StringBuilder();
        for (String each : ALL) {
            yaml.append(KernelTestYaml.deleted(KernelTestYaml.pod("nfs-pod-" + each, "nfs-" + each)))
                    .append(KernelTestYaml.deleted(KernelTestYaml.pod("blk-pod-" + each, "blk-" + each)));
        }
        return yaml.toString();
    }

    private static Path image(String name) {
        return IMAGES.resolve(name + ".img");
    }

    private static void resize(String name, long mebibytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(image(name).toFile(), "rw")) {
            file.setLength(mebibytes * MIB);
        }
    }

    /** Writes to the device mounts; all images are formatted by now. */
    private void writeEarly() {
        for (String each : ALL) {
            Path shared = node.layout.globalMount("kubernetes.io/csi", "blk-" + each);
            Shell.local().run("echo early >" + shared + "/file", "sync -f " + shared);
        }
    }

    /** Writes through the mounts of the Pods; all are mounted by now. */
    private void writeLate() {
        for (String each : ALL) {
            Path target = target("blk", "kubernetes.io/csi", each);
            Shell.local().run("echo late >>" + target + "/file", "sync -f " + target);
            assertThat(Shell.local().run("cat " + target("nfs", "kubernetes.io/nfs", each) + "/file"))
                    .isEqualTo("precious");
        }
    }

    private Path target(String prefix, String plugin, String name) {
        return node.layout.volume(prefix + "-pod-" + name, plugin, prefix + '-' + name);
    }

    private void assertGrown() {
        for (String each : ALL) {
            String blocks = Shell.local()
                    .run("dumpe2fs -h " + image(each) + " 2>/dev/null | grep -E '^Block (count|size)'"
                            + " | grep -o '[0-9]*$' | paste -sd ' '");
            String[] numbers = blocks.strip().split(" ", -1);
            assertThat(Long.parseLong(numbers[0]) * Long.parseLong(numbers[1])).isEqualTo(64 * MIB);
        }
    }

    private static String contentOf(String name) {
        String mounted = "/mnt/inspect";
        try {
            return Shell.local()
                    .run(
                            "mkdir -p " + mounted,
                            "mount -o ro,loop " + image(name) + ' ' + mounted,
                            "cat /mnt/inspect/file");
        } finally {
            Shell.local().run("umount " + mounted);
        }
    }

    private void assertNoDuplicates() throws IOException {
        assertThat(MountTable.read().below(node.layout.root()))
                .extracting(each -> each.point().toString())
                .doesNotHaveDuplicates();
        assertThat(node.loopDevices()).doesNotHaveDuplicates();
    }

    private void assertNothingLeft() throws IOException {
        assertThat(node.mounts()).isEmpty();
        assertThat(node.loopDevices()).isEmpty();
        assertThat(KernelNodeFixture.untilEmpty(node::leftovers)).isEmpty();
    }

    private String exportedFiles() {
        return Shell.local().run("cd " + exported, "ls -lR --full-time", "find . -type f -exec sha256sum {} +");
    }
}
