package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
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
 * The process is killed with SIGKILL before, between and after everything it does to volumes, and started again: what Pods need is there exactly
 * once and with what was in it, what they do not is gone, and no file of the machine is.
 */
class NodeKillTest {
    private static final String BLOCK = "kubernetes.io/csi";
    private static final List<String> PLUGINS = List.of(
            BLOCK,
            "kubernetes.io/local-volume",
            "kubernetes.io/host-path",
            "kubernetes.io/empty-dir",
            "kubernetes.io/configmap");

    /** Of each Pod. */
    private static final int VOLUMES = 6;

    @TempDir
    private Path directory;

    private Path host;
    private NodeMachine machine;
    private NodeKillServer server;
    private List<String> usual = List.of();
    private int cases;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        Path root = directory.toRealPath();
        machine = new NodeMachine(root.resolve("data"));
        host = root.resolve("host");
        for (String each : List.of("shared", "disk")) {
            Files.createDirectories(host.resolve(each));
            Files.writeString(host.resolve(each).resolve("letter"), "mine");
        }
        server = new NodeKillServer(machine.root(), root.resolve("stderr"));
        server.start();
        NodeApi api = server.api();
        api.make(NodeApi.CONFIG_MAPS, NodeObjects.configMap("settings", "colour", "blue"));
        api.make(NodeApi.CLASSES, NodeObjects.storageClass("images", "block", "'overcommit':'true'"));
        api.make(
                NodeApi.VOLUMES,
                NodeObjects.localVolume("disk", host.resolve("disk").toString(), "disk"));
        api.make(NodeApi.CLAIMS, NodeObjects.claim("disk", "none-such", "1Gi"));
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

    /** Where to die: before the effect, after it and before that is written down, and after that. */
    private static List<String> points(String call, String event, String plugin) {
        return List.of(
                "before " + call + ' ' + plugin, "after " + call + ' ' + plugin, "event " + event + ' ' + plugin);
    }

    @Test
    @Timeout(value = 8, unit = TimeUnit.MINUTES)
    void volumesComeOnceAndGoWhereverTheProcessDies() {
        List<String> coming = new ArrayList<>();
        coming.addAll(points("attach", "VolumeAttached", BLOCK));
        coming.addAll(points("mountDevice", "VolumeDeviceMounted", BLOCK));
        PLUGINS.forEach(plugin -> coming.addAll(points("setUp", "VolumeMounted", plugin)));
        List<String> going = new ArrayList<>();
        PLUGINS.forEach(plugin -> going.addAll(points("tearDown", "VolumeUnmounted", plugin)));
        going.addAll(points("unmountDevice", "VolumeDeviceUnmounted", BLOCK));
        going.addAll(points("detach", "VolumeDetached", BLOCK));
        assertThat(coming).hasSameSizeAs(going);
        learn();
        for (int i = 0; i < coming.size(); i += NodeKillPoints.STRIDE) {
            Case one = new Case();
            server.arm(coming.get(i));
            one.create();
            one.dieAt(coming.get(i));
            one.mustBeThere(coming.get(i));
            one.write();
            server.arm(going.get(i));
            one.delete();
            one.dieAt(going.get(i));
            one.mustBeGone(going.get(i));
            one.mustHaveKept(coming.get(i) + ", " + going.get(i));
        }
        server.stop();
        assertThat(lost()).isEmpty();
    }

    /** What is mounted when nobody is killed. */
    private void learn() {
        Case one = new Case();
        one.create();
        one.await();
        usual = one.mounts();
        assertThat(usual).hasSizeGreaterThan(3).doesNotHaveDuplicates();
        one.write();
        one.delete();
        one.mustBeGone("nowhere");
        one.mustHaveKept("nowhere");
    }

    private List<Path> lost() {
        List<Path> files = new ArrayList<>(List.of(host.resolve("shared/letter"), host.resolve("disk/letter")));
        files.removeIf(Files::isRegularFile);
        return files;
    }

    /** One Pod with a block volume of its own. */
    private final class Case {
        private final String name = "p" + ++cases;
        private JsonNode pod;

        void create() {
            server.api().make(NodeApi.CLAIMS, NodeObjects.claim(name, "images", "16Mi"));
            createPod();
        }

        private void createPod() {
            pod = server.api()
                    .make(
                            NodeApi.PODS,
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

        void dieAt(String point) {
            server.awaitDeath(point);
            server.start();
        }

        void await() {
            try (NodeWatch actual = server.api().watch(NodeApi.ACTUAL)) {
                actual.await(
                        VOLUMES + " mounts",
                        seen -> seen.mounted() == VOLUMES
                                && seen.all().stream()
                                        .allMatch(each -> each.at("/status/state")
                                                .asText()
                                                .equals("Mounted")));
            }
        }

        /** With this Pod's names left out, they are the same for all. */
        List<String> mounts() {
            String uid = pod.at("/metadata/uid").asText();
            String volume = volumeName();
            return machine.mounts().stream()
                    .map(each -> each.replace(uid, "UID").replace(volume, "PV"))
                    .toList();
        }

        private String volumeName() {
            return server.api()
                    .get(NodeApi.CLAIMS + "/" + name)
                    .at("/spec/volumeName")
                    .asText();
        }

        void mustBeThere(String point) {
            await();
            assertThat(mounts()).as("mounts after " + point).isEqualTo(usual);
            assertThat(machine.loopDevices()).as("loop devices after " + point).hasSize(1);
            assertThat(path(0).resolve("colour")).as(point).hasContent("blue");
            assertThat(path(4).resolve("letter")).as(point).hasContent("mine");
        }

        private Path path(int number) {
            try (NodeWatch actual = server.api().watch(NodeApi.ACTUAL)) {
                actual.await("its mount", seen -> find(seen, number).isPresent());
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
            server.api().delete(NodeApi.PODS + "/" + name);
        }

        void mustBeGone(String point) {
            try (NodeWatch actual = server.api().watch(NodeApi.ACTUAL)) {
                actual.await("no volumes", seen -> seen.size() == 0);
            }
            server.api().untilGone(NodeApi.PODS, name);
            assertThat(machine.mounts()).as("mounts after " + point).isEmpty();
            assertThat(machine.loopDevices()).as("loop devices after " + point).isEmpty();
            assertThat(machine.names("pods").stream().filter(each -> each.contains("/")))
                    .as("directories after " + point)
                    .isEmpty();
            assertThat(lost()).as(point).isEmpty();
        }

        /** The same claim for another Pod: what was written is still there. Then all of it goes. */
        void mustHaveKept(String point) {
            createPod();
            await();
            assertThat(path(5).resolve("diary")).as(point).hasContent("of " + name);
            delete();
            mustBeGone(point);
            server.api().delete(NodeApi.CLAIMS + "/" + name);
            server.api().untilGone(NodeApi.CLAIMS, name);
        }
    }
}
