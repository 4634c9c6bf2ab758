package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mooring.cli.HttpsClient;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
class ServerTest {
    @TempDir
    private static Path data;

    private static Server server;
    private static HttpsClient client;

    @BeforeAll
    static void start() throws Exception {
        server = ServerFixture.start(data);
        client = clientOf(data, HttpClient.Version.HTTP_2);
    }

    @AfterAll
    static void stop() {
        assertThat(server.close()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void version_overHttp1AndHttp2_isServed(HttpClient.Version version) throws Exception {
        HttpResponse<String> response = clientOf(data, version).get(server.url() + "/version");

        assertThat(response.version()).isEqualTo(version);
        assertThat(response.statusCode()).isEqualTo(200);
        JsonObject info = new JsonObject(response.body());
        assertThat(info.getString("major")).isEqualTo("1");
        assertThat(info.getString("minor")).isEqualTo("32");
        assertThat(info.getString("gitVersion")).matches("v1\\.32\\.\\d+\\+mooring-.+");
        assertThat(info.fieldNames())
                .contains("gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform");
    }

    @Test
    void certificate_coversLocalhostAndIsSignedByTheServersOwnAuthority() throws Exception {
        String byName = server.url().replace("127.0.0.1", "localhost");

        assertThat(client.get(byName + "/livez").body()).isEqualTo("ok");
        assertThatThrownBy(() -> HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create(byName + "/livez"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString()))
                .isInstanceOf(SSLHandshakeException.class);
    }

    @Test
    void healthEndpoints_withoutToken_areServed() throws Exception {
        for (String path : new String[] {"/livez", "/readyz", "/healthz", "/readyz/ping", "/livez/ping"}) {
            HttpResponse<String> response = client.get(server.url() + path);
            assertThat(response.statusCode()).as(path).isEqualTo(200);
            assertThat(response.body()).as(path).isEqualTo("ok");
        }
        assertThat(client.get(server.url() + "/readyz?verbose").body()).isEqualTo("""
            [+]ping ok
            [+]shutdown ok
            [+]log ok
            [+]memory ok
            [+]verticle-ledger ok
            [+]verticle-snapshots ok
            [+]audit ok
            [+]verticle-namespaces ok
            [+]verticle-garbage-collector ok
            [+]verticle-resource-quotas ok
            [+]verticle-expiry ok
            [+]verticle-binder ok
            [+]verticle-ephemeral-claims ok
            [+]verticle-provisioner ok
            [+]verticle-claim-protection ok
            [+]verticle-volume-protection ok
            [+]verticle-reclaimer ok
            [+]verticle-expander ok
            [+]verticle-attach-detach ok
            [+]verticle-daemonsets ok
            [+]verticle-deployments ok
            [+]verticle-statefulsets ok
            [+]verticle-jobs ok
            [+]verticle-cronjobs ok
            [+]verticle-replicasets ok
            [+]verticle-endpoint-slices ok
            [+]verticle-scheduler ok
            [+]verticle-pod-garbage-collector ok
            [+]verticle-node-lifecycle ok
            [+]verticle-volume-operator ok
            [+]verticle-populator ok
            [+]verticle-reconciler ok
            [+]verticle-pod-directories ok
            [+]verticle-volume-usage ok
            [+]verticle-volume-health ok
            [+]verticle-volumes-in-use ok
            [+]verticle-node-status ok
            [+]verticle-pods ok
            [+]verticle-api ok
            [+]verticle-api-publisher ok
            readyz check passed
            """);
        assertThat(client.get(server.url() + "/livez?verbose").body()).isEqualTo("[+]ping ok\nlivez check passed\n");
    }

    @Test
    void metrics_withoutValidToken_areUnauthorized() throws Exception {
        assertStatus(client.get(server.url() + "/metrics"), 401, "Unauthorized", "Unauthorized");
        assertStatus(client.get(server.url() + "/metrics", "wrong"), 401, "Unauthorized", "Unauthorized");

        HttpResponse<String> response = client.get(server.url() + "/metrics", token(data));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(response.body())
                .contains("mooring_verticle_up{verticle=\"api\"} 1.0")
                .contains("mooring_verticle_restarts_total{verticle=\"api\"} 0.0")
                .contains("mooring_http_connections ")
                .contains("jvm_memory_used_bytes")
                .contains("process_cpu_seconds_total ", "process_open_fds ", "process_max_fds ")
                .contains("process_resident_memory_bytes ", "process_start_time_seconds ")
                .contains("kubelet_running_pods 0.0");
    }

    @Test
    void request_unknownPathOrMethod_getsKubernetesStatus() throws Exception {
        String notFound = "the server could not find the requested resource";
        assertStatus(client.get(server.url() + "/nope"), 404, "NotFound", notFound);
        assertStatus(client.get(server.url() + "/readyz/nope"), 404, "NotFound", notFound);
        assertStatus(
                client.send(HttpRequest.newBuilder(URI.create(server.url() + "/version"))
                        .DELETE()),
                405,
                "MethodNotAllowed",
                "the server does not allow this method on the requested resource");
    }

    @Test
    void request_bodyTooLarge_gets413() throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/namespaces"))
                .header("Authorization", "Bearer " + token(data))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[3 * 1024 * 1024 + 1]));

        HttpResponse<String> response = client.send(request);

        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(new JsonObject(response.body()).getString("reason")).isEqualTo("RequestEntityTooLarge");
    }

    @Test
    void request_hostNotInCertificate_isForbidden() throws Exception {
        int port = URI.create(server.url()).getPort();
        String request = "GET /version HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n";

        assertThat(client.raw("127.0.0.1", port, request.formatted("evil.example:" + port)))
                .startsWith("HTTP/1.1 403")
                .contains("\"reason\":\"Forbidden\"")
                .contains("evil.example");
        for (String host : new String[] {"127.0.0.1:" + port, "LOCALHOST", "[::1]:" + port, "testhost"}) {
            assertThat(client.raw("127.0.0.1", port, request.formatted(host)))
                    .as(host)
                    .startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void request_headersTooLarge_gets431() throws Exception {
        int port = URI.create(server.url()).getPort();
        String request = "GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: "
                + "x".repeat(40_000) + "\r\n\r\n";

        assertThat(client.raw("127.0.0.1", port, request)).startsWith("HTTP/1.1 431");
    }

    @Test
    void apiVerticle_killed_restartsOnTheSamePort(@TempDir Path other) throws Exception {
        Server killed = ServerFixture.start(other);
        try {
            String url = killed.url();
            HttpsClient http = clientOf(other, HttpClient.Version.HTTP_1_1);
            assertThat(http.get(url + "/livez").body()).isEqualTo("ok");

            killed.supervisor().kill("api", "test").await();

            String restarted = "mooring_verticle_restarts_total{verticle=\"api\"} 1.0";
            String metrics = "";
            while (!metrics.contains(restarted)) {
                try {
                    metrics = http.get(url + "/metrics", token(other)).body();
                } catch (IOException e) {
                    metrics = ""; // the API is being restarted
                }
            }
            assertThat(killed.url()).isEqualTo(url);
        } finally {
            killed.close();
        }
    }

    @Test
    void server_restarted_keepsKeysTokensAndKubeconfig(@TempDir Path other) throws Exception {
        Server first = ServerFixture.start(other);
        first.close();
        Map<String, String> before = filesIn(other);
        Server second = ServerFixture.start(other, Map.of("listen", first.url().replace("https://", "")));
        second.close();

        assertThat(filesIn(other)).isEqualTo(before);
    }

    @Test
    void kubeconfig_portChanged_isRewrittenWithTheSameToken(@TempDir Path other) throws Exception {
        Server first = ServerFixture.start(other);
        first.close();
        String token = token(other);
        Server second = ServerFixture.start(other, Map.of("listen", "localhost:0"));
        second.close();

        assertThat(Files.readString(other.resolve("kubeconfig")))
                .contains(second.url())
                .contains("https://localhost:");
        assertThat(token(other)).isEqualTo(token);
    }

    @Test
    void kubeconfig_deleted_isReplacedWithANewAdminToken(@TempDir Path other) throws Exception {
        ServerFixture.start(other).close();
        String lost = token(other);
        Files.delete(other.resolve("kubeconfig"));

        Server restarted = ServerFixture.start(other);
        try {
            HttpsClient http = clientOf(other, HttpClient.Version.HTTP_2);
            assertThat(http.get(restarted.url() + "/metrics", lost).statusCode())
                    .isEqualTo(401);
            assertThat(http.get(restarted.url() + "/metrics", token(other)).statusCode())
                    .isEqualTo(200);
        } finally {
            restarted.close();
        }
    }

    @Test
    void server_portInUse_namesCommandToFindTheProcess(@TempDir Path other) {
        String address = server.url().replace("https://", "");

        Throwable thrown = catchThrowable(() -> ServerFixture.start(other, Map.of("listen", address)));

        CommandFailure failure = CommandFailure.of(thrown);
        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.message())
                .contains("Cannot listen on " + address)
                .contains("ss -ltnp 'sport = :" + URI.create(server.url()).getPort())
                .contains("--listen");
    }

    @Test
    void kubeconfig_pathHoldsAnotherFile_isNotReplaced(@TempDir Path other) throws Exception {
        Path foreign = Files.writeString(other.resolve("config"), "clusters: [{name: production}]");

        Throwable thrown = catchThrowable(
                () -> ServerFixture.start(other.resolve("d"), Map.of("server.kubeconfig", foreign.toString())));

        assertThat(CommandFailure.of(thrown).message())
                .contains(foreign.toString())
                .contains("production");
    }

    @Test
    void kubeconfig_ofAnotherServer_isNotReplaced(@TempDir Path other) throws Exception {
        Path shared = other.resolve("kubeconfig");
        ServerFixture.start(other.resolve("first"), Map.of("server.kubeconfig", shared.toString()))
                .close();
        String written = Files.readString(shared);

        Throwable thrown = catchThrowable(
                () -> ServerFixture.start(other.resolve("second"), Map.of("server.kubeconfig", shared.toString())));

        assertThat(CommandFailure.of(thrown).message())
                .contains("Cannot replace " + shared + " by the kubeconfig of this server")
                .contains("it belongs to the server at https://127.0.0.1:");
        assertThat(shared).hasContent(written);
        ServerFixture.start(other.resolve("first"), Map.of("server.kubeconfig", shared.toString()))
                .close();
    }

    @Test
    void node_renamedWithNewIdentity_isDeletedWithItsPods(@TempDir Path other) throws Exception {
        Server first = ServerFixture.start(other, Map.of("node", "n1", "without", "pods"));
        HttpsClient client = clientOf(other, HttpClient.Version.HTTP_2);
        String pods = "/api/v1/namespaces/default/pods";
        HttpRequest.Builder create = HttpRequest.newBuilder(URI.create(first.url() + pods))
                .header("Authorization", "Bearer " + token(other))
                .header("Content-Type", "application/json");
        client.send(create.POST(HttpRequest.BodyPublishers.ofString(
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web\"},"
                        + "\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"c\",\"image\":\"busybox\"}]}}")));
        first.close();

        Throwable thrown = catchThrowable(() -> ServerFixture.start(other, Map.of("node", "n2", "without", "pods")));
        assertThat(CommandFailure.of(thrown).message()).contains("--node n1", "--node-identity new");

        Server second =
                ServerFixture.start(other, Map.of("node", "n2", "nodeIdentity", "new", "without", "pods,control"));
        try {
            assertThat(client.get(second.url() + "/api/v1/nodes/n1", token(other))
                            .statusCode())
                    .isEqualTo(404);
            assertThat(client.get(second.url() + pods + "/web", token(other)).body())
                    .contains("deletionTimestamp");
        } finally {
            second.close();
        }
    }

    @Test
    void plainListener_onLoopback_servesWithoutTlsButRequiresToken(@TempDir Path other) throws Exception {
        Server plain = ServerFixture.start(other, Map.of("api.plainListen", "127.0.0.1:0"));
        try {
            URI nodes = URI.create(plain.plainUrl().orElseThrow() + "/api/v1/nodes");
            HttpClient http = HttpClient.newHttpClient();

            assertThat(http.send(HttpRequest.newBuilder(nodes).build(), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(401);
            HttpRequest authorized = HttpRequest.newBuilder(nodes)
                    .header("Authorization", "Bearer " + token(other))
                    .build();
            assertThat(http.send(authorized, HttpResponse.BodyHandlers.ofString())
                            .body())
                    .contains("\"name\":\"testhost\"");
        } finally {
            plain.close();
        }
        assertThat(server.plainUrl()).isEmpty();
    }

    @Test
    void plainListener_notOnLoopback_isRejected(@TempDir Path other) {
        Throwable thrown = catchThrowable(() -> ServerFixture.start(other, Map.of("api.plainListen", "0.0.0.0:0")));

        assertThat(CommandFailure.of(thrown).message())
                .contains("api.plainListen")
                .contains("127.0.0.1");
    }

    private static void assertStatus(HttpResponse<String> response, int code, String reason, String message) {
        assertThat(response.statusCode()).isEqualTo(code);
        assertThat(response.headers().firstValue("content-type")).contains("application/json");
        assertThat(new JsonObject(response.body()))
                .isEqualTo(new JsonObject()
                        .put("kind", "Status")
                        .put("apiVersion", "v1")
                        .put("metadata", new JsonObject())
                        .put("status", "Failure")
                        .put("message", message)
                        .put("reason", reason)
                        .put("details", new JsonObject())
                        .put("code", code));
    }

    private static HttpsClient clientOf(Path directory, HttpClient.Version version)
            throws IOException, GeneralSecurityException {
        return HttpsClient.trusting(directory.resolve("pki/ca.crt"), version);
    }

    private static String token(Path directory) throws IOException {
        Matcher token = Pattern.compile("token: \"(.*)\"").matcher(Files.readString(directory.resolve("kubeconfig")));
        assertThat(token.find()).isTrue();
        return token.group(1);
    }

    private static Map<String, String> filesIn(Path directory) throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (String name :
                new String[] {"kubeconfig", "pki/ca.pem", "pki/ca.crt", "pki/server.pem", "pki/tokens.json"}) {
            files.put(name, Files.readString(directory.resolve(name)));
        }
        return files;
    }
}
