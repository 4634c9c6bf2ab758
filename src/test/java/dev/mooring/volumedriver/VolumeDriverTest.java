package dev.mooring.volumedriver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.cli.Cli;
import dev.mooring.host.MountTable;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DockerMount;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.RealEngineApi;
import dev.mooring.testing.RealEngineApi.EngineReply;
import dev.mooring.world.Indexes;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the volume driver through its socket, with a real server and real mounts, without an engine. */
@Timeout(120)
class VolumeDriverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private Path socket;
    private Server server;

    @BeforeEach
    void start() throws IOException {
        socket = directory.toRealPath().resolve("mooring.sock");
        Assumptions.assumeTrue(
                Files.isWritable(Path.of("/proc/1/oom_score_adj")), "mounts need the privileges of root");
        startServer();
    }

    private void startServer() {
        server = ServerFixture.start(
                directory.resolve("data"),
                Map.of(
                        "runtime",
                        "docker",
                        "docker.host",
                        "unix://" + directory.resolve("absent.sock"),
                        "docker.pluginSocket",
                        socket.toString(),
                        "docker.pluginDeadline",
                        "3s"));
    }

    @AfterEach
    void stop() throws IOException {
        if (server == null) {
            return;
        }
        for (JsonNode each : call("List", "{}").path("Volumes")) {
            Optional<Claim> claim = claim(each.path("Name").asText());
            claim.stream().flatMap(found -> mounts(found.key()).stream()).forEach(mount -> {
                for (int i = 0; i < Math.max(1, mount.count()); i++) {
                    call("Unmount", "{'Name':'x','ID':'" + mount.id() + "'}");
                }
            });
        }
        server.close();
        assertThat(MountTable.read().below(directory.toRealPath())).isEmpty();
    }

    private World world() {
        return server.stateStore().ledger().world();
    }

    private EngineReply post(String method, String body) {
        waitForSocket();
        return new RealEngineApi(socket).post('/' + method, body.replace('\'', '"'));
    }

    /** The driver starts after the server's ready line. */
    private void waitForSocket() {
        for (int i = 0; i < PATIENCE.toMillis() / 20 && !Files.exists(socket); i++) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private JsonNode call(String method, String body) {
        return post("VolumeDriver." + method, body).body();
    }

    private String error(String method, String body) {
        return call(method, body).path("Err").asText();
    }

    private Optional<Claim> claim(String name) {
        return world().get(Claim.key("default", name)).map(Claim::of);
    }

    private List<DockerMount> mounts(ObjectKey claim) {
        return world().find(Indexes.PODS_BY_CLAIM, claim).stream()
                .flatMap(pod -> DockerMount.of(Pod.of(pod)).stream())
                .toList();
    }

    private String mount(String name, String id) {
        JsonNode response = call("Mount", "{'Name':'" + name + "','ID':'" + id + "'}");
        assertThat(response.path("Err").asText()).isEmpty();
        return response.path("Mountpoint").asText();
    }

    private void unmount(String name, String id) {
        assertThat(error("Unmount", "{'Name':'" + name + "','ID':'" + id + "'}"))
                .isEmpty();
    }

    private void create(String name, String options) {
        assertThat(error("Create", "{'Name':'" + name + "','Opts':{" + options + "}}"))
                .isEmpty();
    }

    @Test
    void protocol_activation_namesTheDriverAndItsScope() throws IOException {
        assertThat(post("Plugin.Activate", "").body().path("Implements").path(0).asText())
                .isEqualTo("VolumeDriver");
        assertThat(call("Capabilities", "{}").at("/Capabilities/Scope").asText())
                .isEqualTo("local");
        assertThat(Files.getPosixFilePermissions(socket)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        try (Stream<Path> files = Files.list(socket.getParent())) {
            assertThat(files.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("data", "mooring.sock");
        }
    }

    @Test
    void protocol_badRequests_getAnError() {
        assertThat(post("VolumeDriver.Create", "nonsense").body().path("Err").asText())
                .isEqualTo("the body of the request is not JSON");
        assertThat(new RealEngineApi(socket).get("/Plugin.Activate").code()).isEqualTo(405);
        assertThat(error("Steal", "{}")).contains("has no method VolumeDriver.Steal");
        assertThat(post("VolumeDriver.Create", "{'Name':'" + "x".repeat(70_000) + "'}")
                        .code())
                .isEqualTo(413);
    }

    @Test
    void create_options_makeTheClaim() {
        create("shop_Data", "'size':'64Mi','class':'hostPath','mode':'rwx'");
        create("shop_Data", "'size':'64Mi','class':'hostPath','mode':'ReadWriteMany'");

        Claim claim = claim("shop-data").orElseThrow();
        assertThat(claim.request()).hasToString("64Mi");
        assertThat(claim.className()).contains("hostPath");
        assertThat(claim.accessModes()).hasToString("RWX");
        assertThat(claim.hasFinalizer(StorageNames.CLAIM_PROTECTION)).isTrue();
        JsonNode volume = call("Get", "{'Name':'shop_Data'}").path("Volume");
        assertThat(volume.path("Name").asText()).isEqualTo("shop_Data");
        assertThat(volume.at("/Status/claim").asText()).isEqualTo("shop-data");
        assertThat(call("List", "{}").at("/Volumes/0/Name").asText()).isEqualTo("shop_Data");
    }

    @Test
    void create_invalidOptions_areExplained() {
        create("data", "'size':'64Mi'");
        assertThat(error("Create", "{'Name':'x','Opts':{'sise':'1Gi'}}"))
                .isEqualTo(
                        "volume \"x\": unknown option \"sise\" (did you mean \"size\"?); the options are class, size,"
                                + " namespace, claim, mode");
        assertThat(error("Create", "{'Name':'x','Opts':{'size':'1Gx'}}"))
                .contains("size \"1Gx\" is not a quantity such as 10Gi");
        assertThat(error("Create", "{'Name':'x','Opts':{'mode':'rw'}}")).contains("unknown access mode \"rw\"");
        assertThat(error("Create", "{'Name':'x','Opts':{'class':'gold'}}"))
                .contains("StorageClass \"gold\" not found; the classes are block, hostPath, local, nfs");
        assertThat(error("Create", "{'Name':'x','Opts':{'namespace':'nowhere'}}"))
                .isEqualTo("namespaces \"nowhere\" not found");
        assertThat(error("Create", "{'Name':'data','Opts':{'size':'128Mi'}}"))
                .startsWith("volume \"data\" is claim default/data, whose size is 64Mi, not 128Mi");
        assertThat(error("Create", "{'Name':'data','Opts':{'claim':'other'}}"))
                .startsWith("volume \"data\" is claim default/data, whose claim is default/data, not default/other");
        assertThat(error("Get", "{'Name':'missing'}")).isEqualTo("no such volume: missing");
    }

    @Test
    void remove_createdVolume_deletesTheClaim() {
        create("data", "'size':'64Mi'");
        assertThat(error("Remove", "{'Name':'data'}")).isEmpty();
        assertThat(claim("data")).isEmpty();
        assertThat(call("List", "{}").path("Volumes")).isEmpty();
    }

    @Test
    void remove_adoptedClaim_keepsTheClaim() {
        create("data", "'size':'64Mi'");
        create("alias", "'claim':'data'");
        assertThat(error("Remove", "{'Name':'data'}")).isEmpty();
        assertThat(claim("data")).isPresent();
        assertThat(error("Get", "{'Name':'data'}")).isEqualTo("no such volume: data");
        assertThat(error("Get", "{'Name':'alias'}")).isEmpty();
    }

    @Test
    void mount_volume_isVerifiedAndHeldByAPod() throws IOException {
        create("data", "'size':'64Mi'");
        Path path = Path.of(mount("data", "id1"));

        assertThat(MountTable.read().isMountPoint(path)).isTrue();
        Files.writeString(path.resolve("file"), "kept");
        assertThat(call("Path", "{'Name':'data'}").path("Mountpoint").asText()).isEqualTo(path.toString());
        DockerMount mount = mounts(Claim.key("default", "data")).get(0);
        assertThat(mount.pod().phase()).isEqualTo("Running");
        assertThat(call("Get", "{'Name':'data'}").at("/Volume/Status/usedBy").asText())
                .isEqualTo("a container (docker)");
        assertThat(error("Remove", "{'Name':'data'}"))
                .isEqualTo("volume \"data\" is in use: claim default/data is used by a container (docker); stop it"
                        + " first");

        unmount("data", "id1");
        assertThat(MountTable.read().isMountPoint(path)).isFalse();
        assertThat(mounts(Claim.key("default", "data"))).isEmpty();
        Path again = Path.of(mount("data", "id2"));
        assertThat(again.resolve("file")).hasContent("kept");
        unmount("data", "id2");
    }

    @Test
    void mount_repeatedByAnEngineThatDoesNotServe_isOneMount() throws IOException {
        create("data", "'size':'64Mi'");
        Path path = Path.of(mount("data", "id1"));
        assertThat(mount("data", "id1")).isEqualTo(path.toString());
        unmount("data", "id1");
        assertThat(MountTable.read().isMountPoint(path)).isFalse();
        unmount("data", "id1");
    }

    @Test
    void mount_readWriteOncePodInUse_failsAndNamesTheUser() {
        create("data", "'size':'64Mi','mode':'ReadWriteOncePod'");
        mount("data", "id1");

        assertThat(error("Mount", "{'Name':'data','ID':'id2'}"))
                .startsWith("volume \"data\" (claim default/data) was not mounted within 3s: ")
                .contains("ReadWriteOncePod access mode already in-use by another pod")
                .endsWith("`mooring explain pvc/data -n default` shows the details");
        assertThat(mounts(Claim.key("default", "data"))).hasSize(1);

        unmount("data", "id1");
        mount("data", "id2");
        unmount("data", "id2");
    }

    @Test
    void mount_podDeletedByUser_staysUntilDockerUnmounts() throws IOException {
        create("data", "'size':'64Mi'");
        Path path = Path.of(mount("data", "id1"));
        Pod pod = mounts(Claim.key("default", "data")).get(0).pod();
        ObjectNode deleted = pod.copy();
        deleted.withObject("/metadata")
                .put("deletionTimestamp", "2026-01-01T00:00:00Z")
                .put("deletionGracePeriodSeconds", 0);
        Outcome outcome = server.stateStore()
                .ledger()
                .propose(Proposal.by("test", "DeletionRequested")
                        .replace(pod.stored(), Draft.of(pod.key(), deleted))
                        .build())
                .toCompletableFuture()
                .join();
        assertThat(outcome).isInstanceOf(Outcome.Committed.class);
        create("other", "'size':'64Mi'");
        mount("other", "id2"); // the volume manager has handled the deletion when it mounts another volume
        unmount("other", "id2");

        assertThat(MountTable.read().isMountPoint(path)).isTrue();
        unmount("data", "id1");
        assertThat(MountTable.read().isMountPoint(path)).isFalse();
    }

    @Test
    void mount_serverRestarted_isContinued() throws IOException {
        create("data", "'size':'64Mi'");
        Path path = Path.of(mount("data", "id1"));
        server.close();
        assertThat(socket).doesNotExist();
        assertThat(MountTable.read().isMountPoint(path)).isTrue();
        startServer();
        assertThat(call("Path", "{'Name':'data'}").path("Mountpoint").asText()).isEqualTo(path.toString());
        unmount("data", "id1");
        assertThat(MountTable.read().isMountPoint(path)).isFalse();
    }

    @Test
    void adopt_directory_isMountedWithoutCopy() throws IOException {
        Path existing = Files.createDirectory(directory.toRealPath().resolve("my_Data"));
        Files.writeString(existing.resolve("file"), "kept");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();

        assertThat(adopt(out, err, existing.toString(), "--size", "64Mi"))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("driver_opts: {claim: my-data, namespace: default}");
        create("shop_db", "'claim':'my-data'");
        Path path = Path.of(mount("shop_db", "id1"));
        assertThat(path.resolve("file")).hasContent("kept");
        Files.writeString(path.resolve("file"), "changed");
        unmount("shop_db", "id1");
        assertThat(error("Remove", "{'Name':'shop_db'}")).isEmpty();
        assertThat(claim("my-data")).isPresent();
        assertThat(existing.resolve("file")).hasContent("changed");

        assertThat(adopt(out, err, existing.toString())).isNotZero();
        assertThat(adopt(out, err, "../x")).isEqualTo(2);
        assertThat(adopt(out, err, "/nonexistent/x")).isEqualTo(3);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("already exists")
                .contains("an absolute path without \"..\", got \"../x\"")
                .contains("Cannot adopt /nonexistent/x: it is not a directory of this machine");
    }

    private int adopt(ByteArrayOutputStream out, ByteArrayOutputStream err, String... args) {
        List<String> all = new ArrayList<>(
                List.of("adopt", "--kubeconfig", server.kubeconfig().toString()));
        all.addAll(List.of(args));
        return new Cli(ServerFixture.ambient(Map.of(), out, err)).run(all.toArray(String[]::new));
    }

    @Test
    void socket_ofAnotherServer_isNotTaken() throws IOException {
        Path other = directory.toRealPath().resolve("other.sock");
        try (ServerSocketChannel live = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            live.bind(UnixDomainSocketAddress.of(other));
            assertThatThrownBy(() -> new DriverSocket(other).prepare())
                    .hasMessage("another server listens on " + other
                            + "; stop it, or set docker.pluginSocket to another path or to none");
        }
        // stale now
        DriverSocket next = new DriverSocket(other);
        Path bound = next.prepare();
        try (ServerSocketChannel live = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            live.bind(UnixDomainSocketAddress.of(bound));
            next.publish(bound);
            assertThatThrownBy(() -> new DriverSocket(other).prepare()).hasMessageContaining("another server listens");
            next.remove();
        }
        assertThat(Files.exists(other, LinkOption.NOFOLLOW_LINKS)).isFalse();
        Files.writeString(other, "data");
        assertThatThrownBy(() -> new DriverSocket(other).prepare()).hasMessageContaining("is not a socket");
        assertThat(other).hasContent("data");
    }
}
