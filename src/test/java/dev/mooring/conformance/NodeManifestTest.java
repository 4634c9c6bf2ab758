package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.HostInspector;
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

/** Tests what a user of kubectl sees of a node's volumes, on a server that all tests share. */
@Timeout(300)
class NodeManifestTest {
    private static final long MIB = 1 << 20;

    @TempDir
    private static Path directory;

    private static Path host;
    private static Server server;
    private static NodeApiClient api;
    private static HostInspector machine;
    private static KubectlShell shell;

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "Needs root, to mount");
        assumeTrue(KubectlBinary.inPath("bash").isPresent(), "Needs bash in the PATH");
        Optional<KubectlBinary> kubectl = KubectlBinary.newest();
        assumeTrue(kubectl.isPresent(), "Needs kubectl in the PATH");
        Path root = directory.toRealPath();
        machine = new HostInspector(root.resolve("data"));
        host = Files.createDirectories(root.resolve("host"));
        server = ServerFixture.start(machine.root(), Map.of());
        api = NodeApiClient.at(server.url(), machine.root());
        shell = new KubectlShell(
                Files.createDirectory(root.resolve("home")),
                kubectl.get(),
                List.of("--kubeconfig=" + server.kubeconfig()));
        api.create(NodeApiClient.CLASSES, NodeObjects.storageClass("made", "hostpath", ""));
        api.create(NodeApiClient.CLASSES, NodeObjects.storageClass("images", "block", "'overcommit':'true'"));
        api.create(
                NodeApiClient.CLASSES,
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

    /** Deletes the objects of the test and asserts that nothing is left on the host. */
    @AfterEach
    void deleteEverything() {
        ok("$K delete pod --all --wait=false");
        try (NodeWatch actual = api.watch(NodeApiClient.ACTUAL)) {
            actual.await("no volumes", seen -> seen.size() == 0);
        }
        assertThat(machine.mounts()).isEmpty();
        assertThat(machine.loopDevices()).isEmpty();
        ok("$K delete pvc --all --timeout=100s");
        ok("$K wait --for=delete pod --all --timeout=100s");
    }

    /** Runs a line that must succeed, and returns its output with single spaces. */
    private static String ok(String line) {
        KubectlShell.Result result = shell.run(line);
        assertThat(result.code()).as("%s: %s", line, result.err()).isZero();
        return result.out().replaceAll(" +", " ").strip();
    }

    private static JsonNode createPod(String name, String... sources) {
        return api.create(NodeApiClient.PODS, NodeObjects.pod(name, List.of(sources)));
    }

    /** Waits until the mount of a Pod's volume satisfies the predicate, and returns it. */
    private static JsonNode awaitMount(String pod, String volume, Predicate<JsonNode> holds) {
        try (NodeWatch actual = api.watch(NodeApiClient.ACTUAL)) {
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

    private static Path awaitMounted(String pod, String volume) {
        JsonNode mount =
                awaitMount(pod, volume, each -> each.path("state").asText().equals("Mounted"));
        return Path.of(mount.path("path").asText());
    }

    @Test
    void pod_configMapMissing_isReportedAndMountsOnceCreated() {
        createPod("early", "'configMap':{'name':'later'}");
        awaitMount("early", "v0", each -> attempts(each) >= 3);
        assertThat(ok("$K describe pod early"))
                .containsPattern(
                        "Warning FailedMount \\S+ \\(x\\d+ over \\S+\\) \\S+ MountVolume.SetUp failed for volume"
                                + " \"v0\" : configmap \"later\" not found");
        assertThat(ok("$K get actualvolumes"))
                .startsWith("NAME POD VOLUME PLUGIN STATE ATTEMPTS NEXT TRY REASON AGE\n")
                .containsPattern(" default/early v0 kubernetes.io/configmap Failed ([3-9]|\\d\\d) \\S+ NotFound ");

        // Right after a failure, the next try is several seconds away.
        int known = attempts(awaitMount("early", "v0", each -> true));
        JsonNode failed = awaitMount(
                "early",
                "v0",
                each -> attempts(each) > known && !each.path("nextTry").asText().isEmpty());
        Instant next = Instant.parse(failed.path("nextTry").asText());
        api.create(NodeApiClient.CONFIG_MAPS, NodeObjects.configMap("later", "colour", "blue"));
        Path path = awaitMounted("early", "v0");
        assertThat(Instant.now()).as("mounted before the next try was due").isBefore(next);
        assertThat(path.resolve("colour")).hasContent("blue");
        assertThat(ok("$K get av")).containsPattern(" default/early v0 kubernetes.io/configmap Mounted 0 ");
    }

    private static int attempts(JsonNode mount) {
        return mount.path("attempts").asInt();
    }

    @Test
    void configMapVolume_configMapUpdated_hasNewContent() {
        api.create(NodeApiClient.CONFIG_MAPS, NodeObjects.configMap("paint", "colour", "blue"));
        createPod("viewer", "'configMap':{'name':'paint'}");
        Path file = awaitMounted("viewer", "v0").resolve("colour");
        assertThat(file).hasContent("blue");
        String content =
                awaitMount("viewer", "v0", each -> true).path("content").asText();

        ok("$K patch cm paint -p '{\"data\":{\"colour\":\"red\"}}'");
        awaitMount("viewer", "v0", each -> !each.path("content").asText().equals(content));
        assertThat(file).hasContent("red");
    }

    @Test
    void pod_claimNotBound_isReportedAndMountsOnceBound() {
        api.create(NodeApiClient.CLAIMS, NodeObjects.claim("lonely", "none-such", "1Gi"));
        createPod("patient", NodeObjects.claimSource("lonely"), "'emptyDir':{}");
        awaitMounted("patient", "v1");
        assertThat(ok("$K get desiredvolumes"))
                .startsWith("NAME POD VOLUME PLUGIN STATE REASON AGE\n")
                .containsPattern(" default/patient v0 Waiting ClaimNotBound ")
                .containsPattern(" default/patient v1 kubernetes.io/empty-dir Resolved ");
        assertThat(ok("$K describe pod patient"))
                .contains("Unable to attach or mount volumes: unmounted volumes=[v0], unattached volumes=[], failed to"
                        + " process volumes=[v0]: error processing PVC default/lonely: PVC is not bound");

        Path disk = host.resolve("found");
        assertThat(disk.toFile().mkdir()).isTrue();
        api.create(NodeApiClient.VOLUMES, NodeObjects.localVolume("found", disk.toString(), "lonely"));
        awaitMounted("patient", "v0");
        assertThat(ok("$K get dv")).containsPattern(" default/patient found kubernetes.io/local-volume Resolved ");
    }

    @Test
    void blockVolume_writtenBeyondItsSize_isFull() {
        api.create(NodeApiClient.CLAIMS, NodeObjects.claim("small", "images", "16Mi"));
        createPod("filler", NodeObjects.claimSource("small"));
        Path path = awaitMounted("filler", "v0");
        assertThat(HostInspector.run("dd", "if=/dev/zero", "of=" + path.resolve("big"), "bs=64k"))
                .contains("No space left on device");
        assertThat(path.resolve("big").toFile().length()).isBetween(8 * MIB, 16 * MIB);
    }

    @Test
    void blockVolume_expandedWhileMounted_growsAndKeepsData() throws IOException {
        assumeTrue(KubectlBinary.inPath("mkfs.xfs").isPresent(), "Needs mkfs.xfs in the PATH");
        api.create(NodeApiClient.CLAIMS, NodeObjects.claim("grower", "growing", "320Mi"));
        createPod("writer", NodeObjects.claimSource("grower"));
        Path path = awaitMounted("writer", "v0");
        Files.writeString(path.resolve("diary"), "of before");
        assertThat(Files.getFileStore(path).getTotalSpace()).isBetween(200 * MIB, 320 * MIB);

        ok("$K patch pvc grower -p '{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"400Mi\"}}}}'");
        ok("$K wait --for=jsonpath='{.status.capacity.storage}'=400Mi pvc/grower --timeout=100s");
        assertThat(Files.getFileStore(path).getTotalSpace()).isBetween(321 * MIB, 400 * MIB);
        assertThat(path.resolve("diary")).hasContent("of before");
        assertThat(ok("$K get av -o jsonpath='{.items[*].status.capacity}'")).isEqualTo("400Mi");
    }

    @Test
    void claim_usedTwiceByOnePod_isMountedOnce() {
        api.create(NodeApiClient.CLAIMS, NodeObjects.claim("twice", "images", "16Mi"));
        createPod("double", NodeObjects.claimSource("twice"), NodeObjects.claimSource("twice"));
        try (NodeWatch actual = api.watch(NodeApiClient.ACTUAL)) {
            actual.await("the mount", seen -> seen.mounted() == 1);
            assertThat(actual.size()).isEqualTo(1);
        }
        assertThat(ok("$K get dv --no-headers | wc -l")).isEqualTo("2");
        assertThat(machine.mounts()).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void ephemeralVolume_podDeleted_isDeleted() {
        createPod(
                "short",
                "'ephemeral':{'volumeClaimTemplate':{'spec':{'storageClassName':'made','accessModes':['ReadWriteOnce'],"
                        + "'resources':{'requests':{'storage':'1Mi'}}}}}");
        Path path = awaitMounted("short", "v0");
        assertThat(path).isDirectory();
        String volume = ok("$K get pvc short-v0 -o jsonpath='{.spec.volumeName}'");
        assertThat(ok("$K get pv " + volume + " -o jsonpath='{.status.phase}'")).isEqualTo("Bound");

        ok("$K delete pod short --timeout=100s");
        ok("$K wait --for=delete pvc/short-v0 --timeout=100s && $K wait --for=delete pv/" + volume + " --timeout=100s");
        assertThat(path).doesNotExist();
    }

    @Test
    void claim_usedReadOnly_isMountedReadOnly() throws IOException {
        Path disk = Files.createDirectory(host.resolve("library"));
        Files.writeString(disk.resolve("book"), "words");
        api.create(NodeApiClient.VOLUMES, NodeObjects.localVolume("library", disk.toString(), "library"));
        api.create(NodeApiClient.CLAIMS, NodeObjects.claim("library", "none-such", "1Gi"));
        createPod("reader", "'persistentVolumeClaim':{'claimName':'library','readOnly':true}");
        Path path = awaitMounted("reader", "v0");
        assertThat(path.resolve("book")).hasContent("words");
        assertThat(HostInspector.run("touch", path.resolve("scribble").toString()))
                .contains("Read-only file system");
        assertThat(awaitMount("reader", "v0", each -> true).path("readOnly").asBoolean())
                .isTrue();
        assertThat(disk.resolve("book")).hasContent("words");
    }

    @Test
    void readWriteOncePodClaim_secondPod_waitsUntilFirstIsDeleted() {
        String claim = NodeObjects.claim("alone", "made", "1Mi").replace("ReadWriteOnce", "ReadWriteOncePod");
        api.create(NodeApiClient.CLAIMS, claim);
        createPod("first", NodeObjects.claimSource("alone"));
        awaitMounted("first", "v0");
        createPod("second", NodeObjects.claimSource("alone"));
        Pattern expected =
                Pattern.compile("MountVolume.SetUp failed for volume \"\\S+\" : volume uses the ReadWriteOncePod"
                        + " access mode and is already in use by another pod \\(default/first\\)");
        try (NodeWatch events = api.watch(NodeApiClient.EVENTS + "?fieldSelector=involvedObject.name=second")) {
            events.await(
                    "the Event about the volume in use",
                    seen -> seen.all().stream()
                            .anyMatch(each -> expected.matcher(
                                            each.path("message").asText())
                                    .find()));
        }
        assertThat(ok("$K describe pod second")).containsPattern(expected);

        ok("$K delete pod first --timeout=100s");
        awaitMounted("second", "v0");
    }
}
