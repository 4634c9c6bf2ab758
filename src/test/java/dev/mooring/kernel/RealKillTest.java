package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.path.MountTable;
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
 * A node that is killed (SIGKILL, from outside) between any two events about a volume, and goes on from its log. To be quick each life
 * ends at several points at once, see {@link KillPoints}; what one leaves open the next has to find out and finish, up to its own end.
 */
@OnRealKernel
class RealKillTest {
    private static final long MIB = 1024 * 1024;
    private static final Path LOG = Path.of("/mnt/log-killed");
    private static final Path YAML = Path.of("/mnt/killed.yaml");
    private static final Path IMAGES = Path.of("/mnt/images");
    private static final List<String> ALL = List.of("a", "b", "c");

    private NfsServer server;
    private KernelNode node;
    private Path exported;
    private String untouched;

    @BeforeEach
    void boot() throws IOException {
        node = KernelNode.at("killed");
        Files.createDirectories(IMAGES);
        for (String each : ALL) {
            resize(each, 32);
        }
        server = NfsServer.boot(33);
        server.start();
        exported = server.export("/kept");
        Files.createDirectories(exported.resolve("below"));
        Files.writeString(exported.resolve("file"), "precious");
        Files.writeString(exported.resolve("below/file"), "precious too");
        untouched = exportedFiles();
    }

    @AfterEach
    void goAway() throws IOException {
        node.close();
        // Its own only: loop devices are the machine's, whatever namespace this is.
        Shell.here()
                .run(
                        "for image in " + IMAGES
                                + "/*; do for each in $(losetup -n -O NAME -j $image); do losetup -d $each; done; done",
                        "rm -rf " + IMAGES + ' ' + LOG + ' ' + YAML);
        server.close();
    }

    @Test
    @Timeout(900)
    void losesNothingRepeatsNothingAndLeavesNothing() throws Exception {
        live(everything("32Mi"), () -> {}, "blk volume_attach", "nfs volume_mount");
        live("", () -> {}, "blk mount_device");
        live("", this::writeEarly, "blk volume_mount");
        for (String each : ALL) {
            resize(each, 64);
        }
        live(blocks("64Mi"), this::writeLate, "blk expand_volume");
        live(deleted(), this::haveGrown, "blk volume_unmount", "nfs volume_unmount");
        live("", () -> {}, "blk unmount_device");
        live("", () -> {}, "blk volume_detach");
        live("", this::nothingIsLeft);

        for (String each : ALL) {
            assertThat(contentOf(each)).isEqualTo("early\nlate\n");
        }
    }

    /** From a start to a kill. */
    private void live(String yaml, Check beforeTheEnd, String... points) throws Exception {
        Files.writeString(YAML, yaml);
        long since = System.nanoTime();
        Process child = start(points);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(CompletableFuture.supplyAsync(() -> read(lines)).get(100, TimeUnit.SECONDS))
                    .isEqualTo(KilledNode.REACHED);
            Measured.print(
                    "%d ms to %s", Measured.millisSince(since), points.length == 0 ? "the end" : List.of(points));
            nothingIsThereTwice();
            beforeTheEnd.run();
        } finally {
            child.destroyForcibly().waitFor();
        }
        nothingIsThereTwice();
        assertThat(exportedFiles()).isEqualTo(untouched);
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
                KilledNode.class.getName(),
                "killed",
                LOG.toString(),
                YAML.toString()));
        command.addAll(List.of(points));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private String everything(String size) {
        StringBuilder yaml = new StringBuilder(blocks(size));
        for (String each : ALL) {
            yaml.append(Yaml.nfs("nfs-" + each, server.address(), "/kept"))
                    .append(Yaml.pod("nfs-pod-" + each, "nfs-" + each))
                    .append(Yaml.pod("blk-pod-" + each, "blk-" + each));
        }
        return yaml.toString();
    }

    private static String blocks(String size) {
        StringBuilder yaml = new StringBuilder();
        for (String each : ALL) {
            yaml.append(Yaml.block("blk-" + each, image(each).toString(), "ext4", size));
        }
        return yaml.toString();
    }

    private static String deleted() {
        StringBuilder yaml = new StringBuilder();
        for (String each : ALL) {
            yaml.append(Yaml.deleted(Yaml.pod("nfs-pod-" + each, "nfs-" + each)))
                    .append(Yaml.deleted(Yaml.pod("blk-pod-" + each, "blk-" + each)));
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

    /** All are formatted by now. */
    private void writeEarly() {
        for (String each : ALL) {
            Path shared = node.layout.shared("kubernetes.io/csi", "blk-" + each);
            Shell.here().run("echo early >" + shared + "/file", "sync -f " + shared);
        }
    }

    /** All Pods have it by now. */
    private void writeLate() {
        for (String each : ALL) {
            Path target = target("blk", "kubernetes.io/csi", each);
            Shell.here().run("echo late >>" + target + "/file", "sync -f " + target);
            assertThat(Shell.here().run("cat " + target("nfs", "kubernetes.io/nfs", each) + "/file"))
                    .isEqualTo("precious");
        }
    }

    private Path target(String prefix, String plugin, String name) {
        return node.layout.volume(prefix + "-pod-" + name, plugin, prefix + '-' + name);
    }

    private void haveGrown() {
        for (String each : ALL) {
            String blocks = Shell.here()
                    .run("dumpe2fs -h " + image(each) + " 2>/dev/null | grep -E '^Block (count|size)'"
                            + " | grep -o '[0-9]*$' | paste -sd ' '");
            String[] numbers = blocks.strip().split(" ", -1);
            assertThat(Long.parseLong(numbers[0]) * Long.parseLong(numbers[1])).isEqualTo(64 * MIB);
        }
    }

    private static String contentOf(String name) {
        String mounted = "/mnt/look";
        try {
            return Shell.here()
                    .run(
                            "mkdir -p " + mounted,
                            "mount -o ro,loop " + image(name) + ' ' + mounted,
                            "cat /mnt/look/file");
        } finally {
            Shell.here().run("umount " + mounted);
        }
    }

    private void nothingIsThereTwice() throws IOException {
        assertThat(MountTable.read().below(node.layout.root()))
                .extracting(each -> each.point().toString())
                .doesNotHaveDuplicates();
        assertThat(Shell.here().run("losetup -n -O BACK-FILE").lines()).doesNotHaveDuplicates();
    }

    private void nothingIsLeft() throws IOException {
        assertThat(node.mounts()).isEmpty();
        assertThat(Shell.here().run("losetup -a")).isEmpty();
        assertThat(KernelNode.atLast(node::leftovers)).isEmpty();
    }

    private String exportedFiles() {
        return Shell.here().run("cd " + exported, "ls -lR --full-time", "find . -type f -exec sha256sum {} +");
    }
}
