package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What somebody with kubectl sees of a node's volumes, on a server that all tests share. */
@Timeout(120)
class NodeManifestTest {
    private static final long MIB = 1 << 20;

    @TempDir
    private static Path directory;

    private static Path host;
    private static Server server;
    private static NodeApi api;
    private static NodeMachine machine;
    private static KubectlShell shell;

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        assumeTrue(KubectlBinary.inPath("bash").isPresent(), "Needs bash in the PATH");
        Optional<KubectlBinary> kubectl = KubectlBinary.newest();
        assumeTrue(kubectl.isPresent(), "Needs kubectl in the PATH");
        Path root = directory.toRealPath();
        machine = new NodeMachine(root.resolve("data"));
        host = Files.createDirectories(root.resolve("host"));
        server = TestServers.start(machine.root(), Map.of());
        api = NodeApi.at(server.url(), machine.root());
        shell = new KubectlShell(
                Files.createDirectory(root.resolve("home")),
                kubectl.get(),
                List.of("--kubeconfig=" + server.kubeconfig()));
        api.make(NodeApi.CLASSES, NodeObjects.storageClass("made", "hostpath", ""));
        api.make(NodeApi.CLASSES, NodeObjects.storageClass("images", "block", "'overcommit':'true'"));
        api.make(
                NodeApi.CLASSES,
                NodeObjects.storageClass(
                        "growing", "block", "'overcommit':'true','fsType':'xfs'", "'allowVolumeExpansion':true"));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
            machine.cleanUp();
        }
    }

    /** Every test lets everything go that it made. */
    @AfterEach
    void nothingIsLeft() {
        ok("$K delete pod --all --wait=false");
        try (NodeWatch actual = api.watch(NodeApi.ACTUAL)) {
            actual.await("no volumes", seen -> seen.size() == 0);
        }
        assertThat(machine.mounts()).isEmpty();
        assertThat(machine.loopDevices()).isEmpty();
        ok("$K delete pvc --all --timeout=30s");
        ok("$K wait --for=delete pod --all --timeout=30s");
    }

    /** What a line prints that must succeed, with single spaces. */
    private static String ok(String line) {
        KubectlShell.Result result = shell.run(line);
        assertThat(result.code()).as("%s: %s", line, result.err()).isZero();
        return result.out().replaceAll(" +", " ").strip();
    }

    private static JsonNode pod(String name, String... sources) {
        return api.make(NodeApi.PODS, NodeObjects.pod(name, List.of(sources)));
    }

    /** The mount of a Pod's volume, once it is as it should be. */
    private static JsonNode mount(String pod, String volume, Predicate<JsonNode> holds) {
        try (NodeWatch actual = api.watch(NodeApi.ACTUAL)) {
            actual.await(
                    "the mount of " + pod,
                    seen -> find(seen, pod, volume).filter(holds).isPresent());
            return find(actual, pod, volume).orElseThrow();
        }
    }

    private static Optional<JsonNode> find(NodeWatch seen, String pod, String volume) {
        for (JsonNode each : seen.all()) {
            for (JsonNode mount : each.at("/status/mounts")) {
                if (mount.at("/pod/name").asText().equals(pod)
                        && mount.path("volumeName").asText().equals(volume)) {
                    return Optional.of(mount);
                }
            }
        }
        return Optional.empty();
    }

    private static Path mounted(String pod, String volume) {
        JsonNode mount = mount(pod, volume, each -> each.path("state").asText().equals("Mounted"));
        return Path.of(mount.path("path").asText());
    }

    @Test
    void aConfigMapThatIsMissingIsToldAndShownAtOnceWhenItComes() {
        pod("early", "'configMap':{'name':'later'}");
        JsonNode failed = mount("early", "v0", each -> each.path("attempts").asInt() == 4);
        Instant next = Instant.parse(failed.path("nextTry").asText());
        assertThat(ok("$K describe pod early"))
                .containsPattern(
                        "Warning FailedMount \\S+ \\(x\\d+ over \\S+\\) \\S+ MountVolume.SetUp failed for volume"
                                + " \"v0\" : configmap \"later\" not found");
        assertThat(ok("$K get actualvolumes"))
                .startsWith("NAME POD VOLUME PLUGIN STATE ATTEMPTS NEXT TRY REASON AGE\n")
                .containsPattern(" default/early v0 kubernetes.io/configmap Failed 4 \\S+ NotFound ");

        api.make(NodeApi.CONFIG_MAPS, NodeObjects.configMap("later", "colour", "blue"));
        Path path = mounted("early", "v0");
        assertThat(Instant.now()).as("mounted before the next try was due").isBefore(next);
        assertThat(path.resolve("colour")).hasContent("blue");
        assertThat(ok("$K get av")).containsPattern(" default/early v0 kubernetes.io/configmap Mounted 0 ");
    }

    @Test
    void anUpdateOfAConfigMapIsSeenInItsFiles() {
        api.make(NodeApi.CONFIG_MAPS, NodeObjects.configMap("paint", "colour", "blue"));
        pod("viewer", "'configMap':{'name':'paint'}");
        Path file = mounted("viewer", "v0").resolve("colour");
        assertThat(file).hasContent("blue");
        String content = mount("viewer", "v0", each -> true).path("content").asText();

        ok("$K patch cm paint -p '{\"data\":{\"colour\":\"red\"}}'");
        mount("viewer", "v0", each -> !each.path("content").asText().equals(content));
        assertThat(file).hasContent("red");
    }

    @Test
    void aClaimThatIsNotBoundIsTheReason() {
        api.make(NodeApi.CLAIMS, NodeObjects.claim("lonely", "none-such", "1Gi"));
        pod("patient", NodeObjects.claimSource("lonely"), "'emptyDir':{}");
        mounted("patient", "v1");
        assertThat(ok("$K get desiredvolumes"))
                .startsWith("NAME POD VOLUME PLUGIN STATE REASON AGE\n")
                .containsPattern(" default/patient v0 Waiting ClaimNotBound ")
                .containsPattern(" default/patient v1 kubernetes.io/empty-dir Resolved ");
        assertThat(ok("$K describe pod patient"))
                .contains("Unable to attach or mount volumes: unmounted volumes=[v0], unattached volumes=[], failed to"
                        + " process volumes=[v0]: error processing PVC default/lonely: PVC is not bound");

        Path disk = host.resolve("found");
        assertThat(disk.toFile().mkdir()).isTrue();
        api.make(NodeApi.VOLUMES, NodeObjects.localVolume("found", disk.toString(), "lonely"));
        mounted("patient", "v0");
        assertThat(ok("$K get dv")).containsPattern(" default/patient found kubernetes.io/local-volume Resolved ");
    }

    @Test
    void aBlockVolumeIsFullAtItsSize() {
        api.make(NodeApi.CLAIMS, NodeObjects.claim("small", "images", "16Mi"));
        pod("filler", NodeObjects.claimSource("small"));
        Path path = mounted("filler", "v0");
        assertThat(NodeMachine.run("dd", "if=/dev/zero", "of=" + path.resolve("big"), "bs=64k"))
                .contains("No space left on device");
        assertThat(path.resolve("big").toFile().length()).isBetween(8 * MIB, 16 * MIB);
    }

    @Test
    void aBlockVolumeGrowsWhileItIsUsed() throws IOException {
        assumeTrue(KubectlBinary.inPath("mkfs.xfs").isPresent(), "Needs mkfs.xfs in the PATH");
        api.make(NodeApi.CLAIMS, NodeObjects.claim("grower", "growing", "320Mi"));
        pod("writer", NodeObjects.claimSource("grower"));
        Path path = mounted("writer", "v0");
        Files.writeString(path.resolve("diary"), "of before");
        assertThat(Files.getFileStore(path).getTotalSpace()).isBetween(200 * MIB, 320 * MIB);

        ok("$K patch pvc grower -p '{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"400Mi\"}}}}'");
        ok("$K wait --for=jsonpath='{.status.capacity.storage}'=400Mi pvc/grower --timeout=30s");
        assertThat(Files.getFileStore(path).getTotalSpace()).isBetween(321 * MIB, 400 * MIB);
        assertThat(path.resolve("diary")).hasContent("of before");
        assertThat(ok("$K get av -o jsonpath='{.items[*].status.capacity}'")).isEqualTo("400Mi");
    }

    @Test
    void aClaimThatAPodNamesTwiceIsMountedOnce() {
        api.make(NodeApi.CLAIMS, NodeObjects.claim("twice", "images", "16Mi"));
        pod("double", NodeObjects.claimSource("twice"), NodeObjects.claimSource("twice"));
        try (NodeWatch actual = api.watch(NodeApi.ACTUAL)) {
            actual.await("its mount", seen -> seen.mounted() == 1);
            assertThat(actual.size()).isEqualTo(1);
        }
        assertThat(ok("$K get dv --no-headers | wc -l")).isEqualTo("2");
        assertThat(machine.mounts()).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void anEphemeralVolumeComesAndGoesWithItsPod() {
        pod(
                "short",
                "'ephemeral':{'volumeClaimTemplate':{'spec':{'storageClassName':'made','accessModes':['ReadWriteOnce'],"
                        + "'resources':{'requests':{'storage':'1Mi'}}}}}");
        Path path = mounted("short", "v0");
        assertThat(path).isDirectory();
        String volume = ok("$K get pvc short-v0 -o jsonpath='{.spec.volumeName}'");
        assertThat(ok("$K get pv " + volume + " -o jsonpath='{.status.phase}'")).isEqualTo("Bound");

        ok("$K delete pod short --timeout=30s");
        ok("$K wait --for=delete pvc/short-v0 --timeout=30s && $K wait --for=delete pv/" + volume + " --timeout=30s");
        assertThat(path).doesNotExist();
    }

    @Test
    void aClaimThatIsOnlyReadIsMountedReadOnly() throws IOException {
        Path disk = Files.createDirectory(host.resolve("library"));
        Files.writeString(disk.resolve("book"), "words");
        api.make(NodeApi.VOLUMES, NodeObjects.localVolume("library", disk.toString(), "library"));
        api.make(NodeApi.CLAIMS, NodeObjects.claim("library", "none-such", "1Gi"));
        pod("reader", "'persistentVolumeClaim':{'claimName':'library','readOnly':true}");
        Path path = mounted("reader", "v0");
        assertThat(path.resolve("book")).hasContent("words");
        assertThat(NodeMachine.run("touch", path.resolve("scribble").toString()))
                .contains("Read-only file system");
        assertThat(mount("reader", "v0", each -> true).path("readOnly").asBoolean())
                .isTrue();
        assertThat(disk.resolve("book")).hasContent("words");
    }

    @Test
    void aVolumeForOnePodKeepsTheSecondWaiting() {
        String claim = NodeObjects.claim("alone", "made", "1Mi").replace("ReadWriteOnce", "ReadWriteOncePod");
        api.make(NodeApi.CLAIMS, claim);
        pod("first", NodeObjects.claimSource("alone"));
        mounted("first", "v0");
        pod("second", NodeObjects.claimSource("alone"));
        Pattern told = Pattern.compile("MountVolume.SetUp failed for volume \"\\S+\" : volume uses the ReadWriteOncePod"
                + " access mode and is already in use by another pod \\(default/first\\)");
        try (NodeWatch events = api.watch(NodeApi.EVENTS + "?fieldSelector=involvedObject.name=second")) {
            events.await(
                    "the reason",
                    seen -> seen.all().stream()
                            .anyMatch(each ->
                                    told.matcher(each.path("message").asText()).find()));
        }
        assertThat(ok("$K describe pod second")).containsPattern(told);

        ok("$K delete pod first --timeout=30s");
        mounted("second", "v0");
    }
}
