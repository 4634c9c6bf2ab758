package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.testing.HostInspector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the process with SIGKILL between any two operations on a block volume: commands, mounts, directories. No data
 * is lost, and no volume is formatted twice.
 */
class NodeKillBlockTest {
    /** More than an operation has. */
    private static final int MAX_STEPS = 60;

    private static final long MIB = 1 << 20;

    @TempDir
    private Path directory;

    private HostInspector machine;
    private NodeKillServer server;
    private int pods;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        Path root = directory.toRealPath();
        machine = new HostInspector(root.resolve("data"));
        server = new NodeKillServer(machine.root(), root.resolve("stderr"));
        server.start();
        server.api().create(NodeApiClient.CLASSES, NodeObjects.storageClass("images", "block", "'overcommit':'true'"));
        server.api()
                .create(
                        NodeApiClient.CLASSES,
                        NodeObjects.storageClass(
                                "growing",
                                "block",
                                "'overcommit':'true','fsType':'xfs'",
                                "'allowVolumeExpansion':true"));
    }

    @AfterEach
    void cleanUp() {
        if (server != null) {
            server.close();
        }
        if (machine != null) {
            machine.cleanUp();
        }
    }

    private String createPod(String claim) {
        String name = "p" + ++pods;
        server.api().create(NodeApiClient.PODS, NodeObjects.pod(name, List.of(NodeObjects.claimSource(claim))));
        return name;
    }

    private static boolean isMounted(NodeWatch seen) {
        return seen.mounted() == 1
                && seen.all().stream()
                        .allMatch(each -> each.at("/status/state").asText().equals("Mounted"));
    }

    private Path awaitMounted(String point) {
        try (NodeWatch actual = server.api().watch(NodeApiClient.ACTUAL)) {
            actual.await("the mount after " + point, NodeKillBlockTest::isMounted);
            assertThat(machine.mounts()).as(point).hasSize(2).doesNotHaveDuplicates();
            assertThat(machine.loopDevices()).as(point).hasSize(1);
            JsonNode mount = actual.all().get(0).at("/status/mounts/0");
            return Path.of(mount.path("path").asText());
        }
    }

    private void awaitUnmounted(String point) {
        try (NodeWatch actual = server.api().watch(NodeApiClient.ACTUAL)) {
            actual.await("no volumes after " + point, seen -> seen.size() == 0);
        }
        assertThat(machine.mounts()).as(point).isEmpty();
        assertThat(machine.loopDevices()).as(point).isEmpty();
        assertThat(machine.names("pods").stream().filter(each -> each.contains("/")))
                .as(point)
                .isEmpty();
        assertThat(machine.names("plugins").stream().filter(each -> each.contains("mounts/")))
                .as(point)
                .isEmpty();
    }

    private static void write(Path path, String text) {
        try {
            Files.writeString(path.resolve("diary"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Timeout(value = 14, unit = TimeUnit.MINUTES)
    void blockVolume_processKilledAtAnyMountStep_isMountedAndKeepsData() {
        int step = 1;
        boolean killed = true;
        while (killed) {
            assertThat(step).isLessThan(MAX_STEPS);
            String point = "step " + step;
            String claim = "c" + step;
            server.api().create(NodeApiClient.CLAIMS, NodeObjects.claim(claim, "images", "16Mi"));
            try (NodeWatch actual = server.api().watch(NodeApiClient.ACTUAL)) {
                server.arm(point);
                server.unlessKilled(() -> createPod(claim));
                killed = !actual.awaitUnlessEnded("the mount or the end of the process", NodeKillBlockTest::isMounted);
            }
            if (killed || !server.disarm()) {
                killed = true;
                server.awaitKilled(point);
                server.start();
            }
            write(awaitMounted(point), point);
            server.api().delete(NodeApiClient.PODS + "/p" + pods);
            awaitUnmounted(point);
            createPod(claim);
            assertThat(awaitMounted(point).resolve("diary")).as(point).hasContent(point);
            server.api().delete(NodeApiClient.PODS + "/p" + pods);
            awaitUnmounted(point);
            step += NodeKillPoints.STRIDE;
        }
        assertThat(step).as("number of kill points").isGreaterThan(5);
    }

    @Test
    @Timeout(value = 14, unit = TimeUnit.MINUTES)
    void blockVolume_processKilledAtAnyUnmountStep_isUnmountedAndKeepsData() {
        server.api().create(NodeApiClient.CLAIMS, NodeObjects.claim("kept", "images", "16Mi"));
        createPod("kept");
        write(awaitMounted("nowhere"), "first");
        int step = 1;
        boolean killed = true;
        while (killed) {
            assertThat(step).isLessThan(MAX_STEPS);
            String point = "step " + step;
            try (NodeWatch actual = server.api().watch(NodeApiClient.ACTUAL)) {
                server.arm(point);
                server.unlessKilled(() -> server.api().delete(NodeApiClient.PODS + "/p" + pods));
                killed = !actual.awaitUnlessEnded("no volumes or the end of the process", seen -> seen.size() == 0);
            }
            if (killed || !server.disarm()) {
                killed = true;
                server.awaitKilled(point);
                server.start();
            }
            awaitUnmounted(point);
            createPod("kept");
            assertThat(awaitMounted(point).resolve("diary")).as(point).hasContent("first");
            step += NodeKillPoints.STRIDE;
        }
        assertThat(step).as("number of kill points").isGreaterThan(5);
    }

    @Test
    @Timeout(value = 12, unit = TimeUnit.MINUTES)
    void blockVolume_processKilledWhileExpanding_isExpandedAndKeepsData() throws IOException {
        assumeTrue(KubectlBinary.inPath("mkfs.xfs").isPresent(), "Needs mkfs.xfs in the PATH");
        server.api().create(NodeApiClient.CLAIMS, NodeObjects.claim("grower", "growing", "320Mi"));
        createPod("grower");
        Path small = awaitMounted("nowhere");
        write(small, "first");
        long before = Files.getFileStore(small).getTotalSpace();
        long size = 320;
        for (String point : List.of(
                "before expand kubernetes.io/csi",
                "after expand kubernetes.io/csi",
                "event VolumeExpanded kubernetes.io/csi")) {
            server.arm(point);
            size += 40;
            String newSize = size + "Mi";
            server.unlessKilled(() -> server.api()
                    .merge(
                            NodeApiClient.CLAIMS + "/grower",
                            "{'spec':{'resources':{'requests':{'storage':'" + newSize + "'}}}}"));
            server.awaitKilled(point);
            server.start();
            server.api()
                    .until(
                            NodeApiClient.CLAIMS,
                            "grower",
                            each -> each.at("/status/capacity/storage").asText().equals(newSize));
            Path path = awaitMounted(point);
            long now = Files.getFileStore(path).getTotalSpace();
            assertThat(now - before).as(point).isGreaterThan(30 * MIB);
            before = now;
            assertThat(path.resolve("diary")).as(point).hasContent("first");
        }
        server.api().delete(NodeApiClient.PODS + "/p" + pods);
        awaitUnmounted("growing");
    }
}
