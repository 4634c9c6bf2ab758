package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.testing.HostInspector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the process with SIGKILL before, during and after each operation on volumes, and restarts it: volumes that Pods
 * need are mounted exactly once with their data, other volumes are unmounted, and no file of the host is lost.
 */
class NodeKillTest {
    private static final String BLOCK = "kubernetes.io/csi";
    private static final List<String> PLUGINS = List.of(
            BLOCK,
            "kubernetes.io/local-volume",
            "kubernetes.io/host-path",
            "kubernetes.io/empty-dir",
            "kubernetes.io/configmap");

    /** Number of volumes of each Pod. */
    private static final int VOLUMES = 6;

    @TempDir
    private Path directory;

    private Path host;
    private HostInspector machine;
    private NodeKillServer server;
    private List<String> expectedMounts = List.of();
    private int cases;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        Path root = directory.toRealPath();
        machine = new HostInspector(root.resolve("data"));
        host = root.resolve("host");
        for (String each : List.of("shared", "disk")) {
            Files.createDirectories(host.resolve(each));
            Files.writeString(host.resolve(each).resolve("letter"), "mine");
        }
        server = new NodeKillServer(machine.root(), root.resolve("stderr"));
        server.start();
        NodeApiClient api = server.api();
        api.create(NodeApiClient.CONFIG_MAPS, NodeObjects.configMap("settings", "colour", "blue"));
        api.create(NodeApiClient.CLASSES, NodeObjects.storageClass("images", "block", "'overcommit':'true'"));
        api.create(
                NodeApiClient.VOLUMES,
                NodeObjects.localVolume("disk", host.resolve("disk").toString(), "disk"));
        api.create(NodeApiClient.CLAIMS, NodeObjects.claim("disk", "none-such", "1Gi"));
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

    /** Kill points of an operation: before it, after it but before its event, and after its event. */
    private static List<String> points(String call, String event, String plugin) {
        return List.of(
                "before " + call + ' ' + plugin, "after " + call + ' ' + plugin, "event " + event + ' ' + plugin);
    }

    @Test
    @Timeout(value = 14, unit = TimeUnit.MINUTES)
    void volumes_processKilledAtAnyPoint_areMountedOnceAndUnmounted() {
        List<String> pointsWhileMounting = new ArrayList<>();
        pointsWhileMounting.addAll(points("attach", "VolumeAttached", BLOCK));
        pointsWhileMounting.addAll(points("mountDevice", "VolumeDeviceMounted", BLOCK));
        PLUGINS.forEach(plugin -> pointsWhileMounting.addAll(points("setUp", "VolumeMounted", plugin)));
        List<String> pointsWhileUnmounting = new ArrayList<>();
        PLUGINS.forEach(plugin -> pointsWhileUnmounting.addAll(points("tearDown", "VolumeUnmounted", plugin)));
        pointsWhileUnmounting.addAll(points("unmountDevice", "VolumeDeviceUnmounted", BLOCK));
        pointsWhileUnmounting.addAll(points("detach", "VolumeDetached", BLOCK));
        assertThat(pointsWhileMounting).hasSameSizeAs(pointsWhileUnmounting);
        recordExpectedMounts();
        for (int i = 0; i < pointsWhileMounting.size(); i += NodeKillPoints.STRIDE) {
            KillCase killCase = new KillCase();
            server.arm(pointsWhileMounting.get(i));
            killCase.create();
            killCase.restartAfter(pointsWhileMounting.get(i));
            killCase.requireMounted(pointsWhileMounting.get(i));
            killCase.write();
            server.arm(pointsWhileUnmounting.get(i));
            killCase.delete();
            killCase.restartAfter(pointsWhileUnmounting.get(i));
            killCase.requireRemoved(pointsWhileUnmounting.get(i));
            killCase.requireDataKept(pointsWhileMounting.get(i) + ", " + pointsWhileUnmounting.get(i));
        }
        server.stop();
        assertThat(lost()).isEmpty();
    }

    /** Records the mounts of a Pod while the process is not killed. */
    private void recordExpectedMounts() {
        KillCase killCase = new KillCase();
        killCase.create();
        killCase.await();
        expectedMounts = killCase.mounts();
        assertThat(expectedMounts).hasSizeGreaterThan(3).doesNotHaveDuplicates();
        killCase.write();
        killCase.delete();
        killCase.requireRemoved("nowhere");
        killCase.requireDataKept("nowhere");
    }

    private List<Path> lost() {
        List<Path> files = new ArrayList<>(List.of(host.resolve("shared/letter"), host.resolve("disk/letter")));
        files.removeIf(Files::isRegularFile);
        return files;
    }

    /** A Pod with its own block volume. */
    private final class KillCase {
        private final String name = "p" + ++cases;

        void create() {
            server.api().create(NodeApiClient.CLAIMS, NodeObjects.claim(name, "images", "16Mi"));
            server.unlessKilled(this::createPod);
        }

        private void createPod() {
            server.api()
                    .create(
                            NodeApiClient.PODS,
                            NodeObjects.pod(
                                    name,
                                    List.of(
                                            "'configMap':{'name':'settings'}",
                                            "'emptyDir':{}",
                                            "'emptyDir':{'medium':'Memory'}",
                                            "'hostPath':{'path':'" + host.resolve("shared") + "'}",
                                            NodeObjects.claimSource("disk"),
                                            NodeObjects.claimSource(name))));
        }

        void restartAfter(String point) {
            server.awaitKilled(point);
            server.start();
        }

        void await() {
            try (NodeWatch actual = server.api().watch(NodeApiClient.ACTUAL)) {
                actual.await(
                        VOLUMES + " mounts",
                        seen -> seen.mounted() == VOLUMES
                                && seen.all().stream()
                                        .allMatch(each -> each.at("/status/state")
                                                .asText()
                                                .equals("Mounted")));
            }
        }

        /** Mounts with the names of this Pod masked, so that they are the same for all Pods. */
        List<String> mounts() {
            String uid = server.api()
                    .get(NodeApiClient.PODS + "/" + name)
                    .at("/metadata/uid")
                    .asText();
            String volume = volumeName();
            return machine.mounts().stream()
                    .map(each -> each.replace(uid, "UID").replace(volume, "PV"))
                    .toList();
        }

        private String volumeName() {
            return server.api()
                    .get(NodeApiClient.CLAIMS + "/" + name)
                    .at("/spec/volumeName")
                    .asText();
        }

        void requireMounted(String point) {
            await();
            assertThat(mounts()).as("mounts after " + point).isEqualTo(expectedMounts);
            assertThat(machine.loopDevices()).as("loop devices after " + point).hasSize(1);
            assertThat(path(0).resolve("colour")).as(point).hasContent("blue");
            assertThat(path(4).resolve("letter")).as(point).hasContent("mine");
        }

        private Path path(int number) {
            try (NodeWatch actual = server.api().watch(NodeApiClient.ACTUAL)) {
                actual.await(
                        "the mount of v" + number, seen -> find(seen, number).isPresent());
                return find(actual, number).orElseThrow();
            }
        }

        private Optional<Path> find(NodeWatch seen, int number) {
            for (JsonNode each : seen.all()) {
                for (JsonNode mount : each.at("/status/mounts")) {
                    if (mount.path("volumeName").asText().equals("v" + number)) {
                        return Optional.of(Path.of(mount.path("path").asText()));
                    }
                }
            }
            return Optional.empty();
        }

        void write() {
            try {
                Files.writeString(path(5).resolve("diary"), "of " + name);
                Files.writeString(path(1).resolve("scrap"), "paper");
                Files.writeString(path(2).resolve("scrap"), "paper");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void delete() {
            server.unlessKilled(() -> server.api().delete(NodeApiClient.PODS + "/" + name));
        }

        void requireRemoved(String point) {
            try (NodeWatch actual = server.api().watch(NodeApiClient.ACTUAL)) {
                actual.await("no volumes", seen -> seen.size() == 0);
            }
            server.api().untilGone(NodeApiClient.PODS, name);
            assertThat(machine.mounts()).as("mounts after " + point).isEmpty();
            assertThat(machine.loopDevices()).as("loop devices after " + point).isEmpty();
            assertThat(machine.names("pods").stream().filter(each -> each.contains("/")))
                    .as("directories after " + point)
                    .isEmpty();
            assertThat(lost()).as(point).isEmpty();
        }

        /** Uses the claim in another Pod, asserts that the data is still there, and deletes both. */
        void requireDataKept(String point) {
            createPod();
            await();
            assertThat(path(5).resolve("diary")).as(point).hasContent("of " + name);
            delete();
            requireRemoved(point);
            server.api().delete(NodeApiClient.CLAIMS + "/" + name);
            server.api().untilGone(NodeApiClient.CLAIMS, name);
        }
    }
}
