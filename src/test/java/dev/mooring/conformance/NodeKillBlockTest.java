package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
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

/** The process is killed with SIGKILL between any two things it does to a block volume: programs, mounts, directories. Nothing is formatted twice. */
class NodeKillBlockTest {
    /** More than there are. */
    private static final int MOST_STEPS = 60;

    private static final long MIB = 1 << 20;

    @TempDir
    private Path directory;

    private NodeMachine machine;
    private NodeKillServer server;
    private int pods;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        Path root = directory.toRealPath();
        machine = new NodeMachine(root.resolve("data"));
        server = new NodeKillServer(machine.root(), root.resolve("stderr"));
        server.start();
        server.api().make(NodeApi.CLASSES, NodeObjects.storageClass("images", "block", "'overcommit':'true'"));
        server.api()
                .make(
                        NodeApi.CLASSES,
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

    private String pod(String claim) {
        String name = "p" + ++pods;
        server.api().make(NodeApi.PODS, NodeObjects.pod(name, List.of(NodeObjects.claimSource(claim))));
        return name;
    }

    private static boolean isMounted(NodeWatch seen) {
        return seen.mounted() == 1
                && seen.all().stream()
                        .allMatch(each -> each.at("/status/state").asText().equals("Mounted"));
    }

    private Path mounted(String point) {
        try (NodeWatch actual = server.api().watch(NodeApi.ACTUAL)) {
            actual.await("its mount after " + point, NodeKillBlockTest::isMounted);
            assertThat(machine.mounts()).as(point).hasSize(2).doesNotHaveDuplicates();
            assertThat(machine.loopDevices()).as(point).hasSize(1);
            JsonNode mount = actual.all().get(0).at("/status/mounts/0");
            return Path.of(mount.path("path").asText());
        }
    }

    private void gone(String point) {
        try (NodeWatch actual = server.api().watch(NodeApi.ACTUAL)) {
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
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void aVolumeSurvivesADeathBetweenAnyTwoStepsOfComing() {
        int step = 1;
        boolean died = true;
        while (died) {
            assertThat(step).isLessThan(MOST_STEPS);
            String point = "step " + step;
            String claim = "c" + step;
            server.api().make(NodeApi.CLAIMS, NodeObjects.claim(claim, "images", "16Mi"));
            try (NodeWatch actual = server.api().watch(NodeApi.ACTUAL)) {
                server.arm(point);
                pod(claim);
                died = !actual.awaitUnlessEnded("its mount or its end", NodeKillBlockTest::isMounted);
            }
            if (died) {
                server.awaitDeath(point);
                server.start();
            } else {
                server.arm("");
            }
            write(mounted(point), point);
            server.api().delete(NodeApi.PODS + "/p" + pods);
            gone(point);
            pod(claim);
            assertThat(mounted(point).resolve("diary")).as(point).hasContent(point);
            server.api().delete(NodeApi.PODS + "/p" + pods);
            gone(point);
            step += NodeKillPoints.STRIDE;
        }
        assertThat(step).as("where it could die").isGreaterThan(5);
    }

    @Test
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void aVolumeIsGoneAfterADeathBetweenAnyTwoStepsOfGoing() {
        server.api().make(NodeApi.CLAIMS, NodeObjects.claim("kept", "images", "16Mi"));
        pod("kept");
        write(mounted("nowhere"), "first");
        int step = 1;
        boolean died = true;
        while (died) {
            assertThat(step).isLessThan(MOST_STEPS);
            String point = "step " + step;
            try (NodeWatch actual = server.api().watch(NodeApi.ACTUAL)) {
                server.arm(point);
                server.api().delete(NodeApi.PODS + "/p" + pods);
                died = !actual.awaitUnlessEnded("no volumes or its end", seen -> seen.size() == 0);
            }
            if (died) {
                server.awaitDeath(point);
                server.start();
            } else {
                server.arm("");
            }
            gone(point);
            pod("kept");
            assertThat(mounted(point).resolve("diary")).as(point).hasContent("first");
            step += NodeKillPoints.STRIDE;
        }
        assertThat(step).as("where it could die").isGreaterThan(5);
    }

    @Test
    @Timeout(value = 4, unit = TimeUnit.MINUTES)
    void aVolumeGrowsWhereverTheProcessDies() throws IOException {
        assumeTrue(KubectlBinary.inPath("mkfs.xfs").isPresent(), "Needs mkfs.xfs in the PATH");
        server.api().make(NodeApi.CLAIMS, NodeObjects.claim("grower", "growing", "320Mi"));
        pod("grower");
        Path small = mounted("nowhere");
        write(small, "first");
        long before = Files.getFileStore(small).getTotalSpace();
        long size = 320;
        for (String point : List.of(
                "before expand kubernetes.io/csi",
                "after expand kubernetes.io/csi",
                "event VolumeExpanded kubernetes.io/csi")) {
            server.arm(point);
            size += 40;
            String wanted = size + "Mi";
            server.api()
                    .merge(
                            NodeApi.CLAIMS + "/grower",
                            "{'spec':{'resources':{'requests':{'storage':'" + wanted + "'}}}}");
            server.awaitDeath(point);
            server.start();
            server.api()
                    .until(
                            NodeApi.CLAIMS,
                            "grower",
                            each -> each.at("/status/capacity/storage").asText().equals(wanted));
            Path path = mounted(point);
            long now = Files.getFileStore(path).getTotalSpace();
            assertThat(now - before).as(point).isGreaterThan(30 * MIB);
            before = now;
            assertThat(path.resolve("diary")).as(point).hasContent("first");
        }
        server.api().delete(NodeApi.PODS + "/p" + pods);
        gone("growing");
    }
}
