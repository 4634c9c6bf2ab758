package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.KindResources;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.ConditionPoller;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bundles of a real server, and what-if on its log. */
class ReplayOnAServerTest {
    private static final String MARKER = "Hunter2-Marker";

    private static final String MARKER_BASE64 =
            Base64.getEncoder().encodeToString(MARKER.getBytes(StandardCharsets.UTF_8));

    private static final String OBJECTS = """
        {kind: Secret, metadata: {name: db, namespace: default, annotations: {note: MARKER}}, stringData: {password: MARKER}}
        ---
        {kind: Secret, metadata: {name: gone, namespace: default}, stringData: {password: MARKER}}
        ---
        {kind: ConfigMap, metadata: {name: settings, namespace: default}, data: {url: MARKER}}
        ---
        kind: PersistentVolume
        metadata: {name: pv1}
        spec: {capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], storageClassName: manual, hostPath: {path: /srv/x}}
        ---
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: default}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: manual}
        ---
        kind: PersistentVolumeClaim
        metadata: {name: stuck, namespace: default}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: manual}
        ---
        kind: Pod
        metadata: {name: env, namespace: default}
        spec: {nodeName: elsewhere, containers: [{name: c, image: busybox, env: [{name: PASSWORD, value: MARKER}]}]}
        """;

    private static final String POD = """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: more}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: %s}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: web}
        spec:
          containers: [{name: c, image: busybox, volumeMounts: [{name: v, mountPath: /v}, {name: d, mountPath: /d}]}]
          volumes: [{name: v, persistentVolumeClaim: {claimName: more}}, {name: d, persistentVolumeClaim: {claimName: data}}]
        """;

    @TempDir
    private static Path directory;

    private static Path data;
    private static Server server;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeAll
    static void startServer() throws Exception {
        data = directory.resolve("data");
        server = ServerFixture.start(data, Map.of("node", "n1"));
        ApiClient client = ServerOption.client(ServerAccess.read(server.kubeconfig()));
        for (ObjectNode object : WorldFixture.objects(OBJECTS.replace("MARKER", MARKER))) {
            object.withObject("/metadata").remove("uid");
            client.create(path(object), object);
            if (object.path("metadata").path("name").asText().equals("data")) {
                // The next claim would fit the same volume.
                ConditionPoller.until(() -> client.get("/api/v1/namespaces/default/persistentvolumeclaims/data")
                        .path("status")
                        .path("phase")
                        .asText()
                        .equals("Bound"));
            }
        }
        client.delete("/api/v1/namespaces/default/secrets/gone");
    }

    private static String path(ObjectNode object) {
        KindResources.ResourceKind kind =
                KindResources.ofKind("v1", object.path("kind").asText()).orElseThrow();
        return "/api/v1/" + (kind.isNamespaced() ? "namespaces/default/" : "") + kind.resource();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private int run(String... args) {
        out.reset();
        err.reset();
        Map<String, String> environment =
                Map.of("MOORING_KUBECONFIG", server.kubeconfig().toString());
        return new Cli(ServerFixture.ambient(environment, out, err)).run(args);
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private static Map<String, String> unzip(Path file) throws IOException {
        Map<String, String> content = new TreeMap<>();
        try (ZipFile zip = new ZipFile(file.toFile())) {
            for (var entry : zip.stream().toList()) {
                content.put(
                        entry.getName(), new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return content;
    }

    @Test
    void bundle_ofTheServer_hasEverythingButSecrets() throws IOException {
        Path file = directory.resolve("server.zip");
        assertThat(run("debug", "bundle", "-o", file.toString())).as(errors()).isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");

        Map<String, String> content = unzip(file);
        content.forEach(
                (name, text) -> assertThat(text).as(name).doesNotContain(MARKER).doesNotContain(MARKER_BASE64));
        assertThat(content.get("events.jsonl")).contains("VolumeBound").contains("\"name\":\"gone\"");
        assertThat(content.get("config.yaml")).contains("log.kind: \"file\"").contains("node: \"n1\"");
        assertThat(content.get("metrics.txt")).contains("mooring_log_append");
        assertThat(content.get("mounts.txt")).contains(" / ");
        assertThat(content.get("engine.json")).isEqualTo("[]\n");
        assertThat(content.get("explain.json")).contains("\"name\":\"stuck\"").doesNotContain("\"name\":\"data\"");
        String token = ServerAccess.read(server.kubeconfig()).token();
        assertThat(String.join("", content.values())).doesNotContain(token);

        assertThat(run("replay", "--bundle", file.toString(), "--verify"))
                .as(errors())
                .isZero();
    }

    @Test
    void bundle_fromARevision_startsWithItsObjects() throws IOException {
        Path file = directory.resolve("from.zip");
        assertThat(run("debug", "bundle", "--from", "5", "-o", file.toString()))
                .as(errors())
                .isZero();
        assertThat(unzip(file).get("bundle.json")).contains("\"from\":{\"revision\":5,");
        assertThat(unzip(file).get("snapshot.jsonl")).contains("namespaces/default");
        assertThat(unzip(file).get("events.jsonl")).startsWith("{\"revision\":6,");

        assertThat(run("debug", "bundle", "--from", "99999", "-o", file.toString()))
                .isEqualTo(1);
        assertThat(errors()).contains("revision 99999 does not exist yet");
        assertThat(run("debug", "bundle", "--since", "soon", "-o", file.toString()))
                .isEqualTo(1);
        assertThat(errors()).contains("since must be a revision");
    }

    @Test
    void bundle_otherRoles_areRefused() throws Exception {
        HttpsClient client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
        String url = server.url() + "/apis/mooring.dev/v1/debug/bundle";
        for (List<String> role : List.of(
                List.of("view"), List.of("edit", "--namespace", "default"), List.of("edit", "--namespace", "*"))) {
            List<String> args = Stream.concat(
                            Stream.of("token", "create", "t" + role.hashCode(), "--role"), role.stream())
                    .toList();
            assertThat(run(args.toArray(String[]::new))).as(errors()).isZero();
            assertThat(client.get(url, output().trim()).statusCode())
                    .as(role.toString())
                    .isEqualTo(403);
        }
        assertThat(client.get(url, "none").statusCode()).isEqualTo(401);
    }

    private static Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory.resolve("copy"))) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                files.put(
                        each.toString(),
                        Files.getLastModifiedTime(each)
                                + new String(Files.readAllBytes(each), StandardCharsets.ISO_8859_1));
            }
        }
        return files;
    }

    private static String copy() throws IOException {
        Path copy = directory.resolve("copy");
        if (!Files.exists(copy)) {
            Files.createDirectories(copy.resolve("log"));
            try (Stream<Path> all = Files.list(data.resolve("log"))) {
                for (Path each : all.filter(Files::isRegularFile).toList()) {
                    Files.copy(each, copy.resolve("log").resolve(each.getFileName()));
                }
            }
        }
        return copy.toString();
    }

    private int whatIf(String manifest, String... options) throws IOException {
        Path file = Files.writeString(directory.resolve("manifest.yaml"), manifest);
        return run(Stream.concat(
                        Stream.of("replay", "--data", copy(), "--then-apply", file.toString()), Stream.of(options))
                .toArray(String[]::new));
    }

    private List<String> types() {
        return output().lines()
                .skip(1)
                .filter(line -> !line.startsWith("=>"))
                .map(line -> line.split("  +", -1)[2])
                .toList();
    }

    @Test
    void whatIf_podWithNewClaim_isProvisionedScheduledAndMounted_withoutTouchingTheLog() throws IOException {
        copy();
        Map<String, String> before = files();

        assertThat(whatIf(POD.formatted("hostPath"))).as(errors()).isZero();

        assertThat(types())
                .containsSubsequence(
                        "PodCreated",
                        "ProvisioningRequested",
                        "VolumeProvisionSucceeded",
                        "VolumeProvisioned",
                        "PodScheduled")
                .containsSubsequence("PodScheduled", "DesiredVolumeAdded", "VolumeMounting", "VolumeMounted");
        assertThat(types().stream().filter(each -> each.equals("VolumeMounted")))
                .hasSize(2);
        assertThat(output()).contains("=> PersistentVolumeClaim default/more is Bound");
        assertThat(errors()).contains("Nothing was written").contains("operations of nodes succeed at once");
        assertThat(files()).isEqualTo(before);
        assertThat(Files.exists(directory.resolve("copy/pods"))).isFalse();
    }

    @Test
    void whatIf_blockVolume_isAttachedAndMounted() throws IOException {
        assertThat(whatIf(POD.formatted("block"))).as(errors()).isZero();
        assertThat(types())
                .containsSubsequence(
                        "VolumeAttachmentCreated", "VolumeAttached", "VolumeDeviceMounted", "VolumeMounted");
    }

    @Test
    void whatIf_claimWithoutVolume_staysPending() throws IOException {
        assertThat(whatIf(POD.formatted("local"))).as(errors()).isZero();
        assertThat(types()).contains("PodUnschedulable").doesNotContain("PodScheduled", "VolumeMounted");
        assertThat(output()).contains("=> PersistentVolumeClaim default/more is Pending");
    }

    @Test
    void whatIf_volumeThatTheStuckClaimNeeds_bindsIt() throws IOException {
        assertThat(whatIf("""
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: pv2}
            spec: {capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], storageClassName: manual, hostPath: {path: /srv/y}}
            """)).as(errors()).isZero();
        assertThat(types()).contains("VolumeBound");
        assertThat(output()).contains("~pvc/default/stuck").contains("=> PersistentVolume pv2 is Bound");
    }

    @Test
    void whatIf_beforeTheVolumeExisted_claimDoesNotBind() throws IOException {
        assertThat(whatIf(POD.formatted("manual"), "--until", "5", "--for", "1m"))
                .as(errors())
                .isZero();
        assertThat(types()).doesNotContain("VolumeBound");
        assertThat(errors()).contains("Simulated 1m after revision 5");
    }

    @Test
    void whatIf_failingMount_isRetried() throws IOException {
        assertThat(whatIf(POD.formatted("hostPath"), "--fail", "mount=pv1", "--for", "30s"))
                .as(errors())
                .isZero();
        assertThat(types().stream()
                        .filter(each -> each.equals("VolumeMountFailed"))
                        .count())
                .isBetween(2L, 10L);
        assertThat(output()).contains("The simulation was told that pv1 cannot be mounted");
    }

    @Test
    void whatIf_invalidObjects_areRefusedAsByTheApi() throws IOException {
        assertThat(whatIf(POD.formatted("hostPath").replace("name: web", "name: WEB")))
                .isEqualTo(1);
        assertThat(errors()).contains("The API would refuse it (Invalid): Pod \"WEB\" is invalid");
        assertThat(whatIf("{apiVersion: v1, kind: Widget, metadata: {name: x}}"))
                .isEqualTo(1);
        assertThat(errors()).contains("no matches for kind \"Widget\" in version \"v1\"");
        assertThat(whatIf("# nothing\n")).isEqualTo(1);
        assertThat(errors()).contains("no objects passed to apply");
        assertThat(whatIf(POD.formatted("hostPath"), "--for", "soon")).isEqualTo(2);
        assertThat(whatIf(POD.formatted("hostPath"), "--fail", "x=y")).isEqualTo(2);
    }
}
