package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

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

@Timeout(120)
class ServerTest {
    @TempDir
    private static Path data;

    private static Server server;
    private static HttpsClient client;

    @BeforeAll
    static void start() throws Exception {
        server = TestServers.start(data);
        client = clientOf(data, HttpClient.Version.HTTP_2);
    }

    @AfterAll
    static void stop() {
        assertThat(server.close()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void shouldSpeakBothVersionsOfHttp(HttpClient.Version version) throws Exception {
        HttpResponse<String> answer = clientOf(data, version).get(server.url() + "/version");

        assertThat(answer.version()).isEqualTo(version);
        assertThat(answer.statusCode()).isEqualTo(200);
        JsonObject info = new JsonObject(answer.body());
        assertThat(info.getString("major")).isEqualTo("1");
        assertThat(info.getString("minor")).isEqualTo("32");
        assertThat(info.getString("gitVersion")).matches("v1\\.32\\.\\d+\\+mooring-.+");
        assertThat(info.fieldNames())
                .contains("gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform");
    }

    @Test
    void shouldHoldACertificateForLocalhostFromItsOwnAuthorityOnly() throws Exception {
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
    void shouldAnswerHealthWithoutAToken() throws Exception {
        for (String path : new String[] {"/livez", "/readyz", "/healthz", "/readyz/ping", "/livez/ping"}) {
            HttpResponse<String> answer = client.get(server.url() + path);
            assertThat(answer.statusCode()).as(path).isEqualTo(200);
            assertThat(answer.body()).as(path).isEqualTo("ok");
        }
        assertThat(client.get(server.url() + "/readyz?verbose").body()).isEqualTo("""
            [+]ping ok
            [+]shutdown ok
            [+]log ok
            [+]verticle-ledger ok
            [+]verticle-snapshots ok
            [+]verticle-namespaces ok
            [+]verticle-garbage-collector ok
            [+]verticle-expiry ok
            [+]verticle-binder ok
            [+]verticle-ephemeral-claims ok
            [+]verticle-provisioner ok
            [+]verticle-claim-protection ok
            [+]verticle-volume-protection ok
            [+]verticle-reclaimer ok
            [+]verticle-expander ok
            [+]verticle-attach-detach ok
            [+]verticle-scheduler ok
            [+]verticle-stranded-pods ok
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
            readyz check passed
            """);
        assertThat(client.get(server.url() + "/livez?verbose").body()).isEqualTo("[+]ping ok\nlivez check passed\n");
    }

    @Test
    void shouldShowMetricsToHoldersOfATokenOnly() throws Exception {
        assertStatus(client.get(server.url() + "/metrics"), 401, "Unauthorized", "Unauthorized");
        assertStatus(client.get(server.url() + "/metrics", "wrong"), 401, "Unauthorized", "Unauthorized");

        HttpResponse<String> answer = client.get(server.url() + "/metrics", token(data));

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type")).contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(answer.body())
                .contains("mooring_verticle_up{verticle=\"api\"} 1.0")
                .contains("mooring_verticle_restarts_total{verticle=\"api\"} 0.0")
                .contains("mooring_http_connections ")
                .contains("jvm_memory_used_bytes");
    }

    @Test
    void shouldRefuseWhatItDoesNotKnowInKubernetesForm() throws Exception {
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
    void shouldRefuseABodyThatIsTooLarge() throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/namespaces"))
                .header("Authorization", "Bearer " + token(data))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[3 * 1024 * 1024 + 1]));

        HttpResponse<String> answer = client.send(request);

        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(new JsonObject(answer.body()).getString("reason")).isEqualTo("RequestEntityTooLarge");
    }

    @Test
    void shouldRefuseAHostThatIsNotInItsCertificate() throws Exception {
        int port = URI.create(server.url()).getPort();
        String request = "GET /version HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n";

        assertThat(client.raw("127.0.0.1", port, request.formatted("evil.example:" + port)))
                .startsWith("HTTP/1.1 403")
                .contains("\"reason\":\"Forbidden\"")
                .contains("evil.example");
        for (String own : new String[] {"127.0.0.1:" + port, "LOCALHOST", "[::1]:" + port, "testhost"}) {
            assertThat(client.raw("127.0.0.1", port, request.formatted(own)))
                    .as(own)
                    .startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void shouldRefuseHeadersThatAreTooLarge() throws Exception {
        int port = URI.create(server.url()).getPort();
        String request = "GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: "
                + "x".repeat(40_000) + "\r\n\r\n";

        assertThat(client.raw("127.0.0.1", port, request)).startsWith("HTTP/1.1 431");
    }

    @Test
    void shouldComeBackOnTheSamePortWhenTheApiIsKilled(@TempDir Path other) throws Exception {
        Server killed = TestServers.start(other);
        try {
            String url = killed.url();
            HttpsClient stranger = clientOf(other, HttpClient.Version.HTTP_1_1);
            assertThat(stranger.get(url + "/livez").body()).isEqualTo("ok");

            killed.supervisor().kill("api", "test").await();

            String restarted = "mooring_verticle_restarts_total{verticle=\"api\"} 1.0";
            String metrics = "";
            while (!metrics.contains(restarted)) {
                try {
                    metrics = stranger.get(url + "/metrics", token(other)).body();
                } catch (IOException e) {
                    metrics = ""; // nobody listens at the moment
                }
            }
            assertThat(killed.url()).isEqualTo(url);
        } finally {
            killed.close();
        }
    }

    @Test
    void shouldKeepItsIdentityOverRestarts(@TempDir Path other) throws Exception {
        Server first = TestServers.start(other);
        first.close();
        Map<String, String> before = filesIn(other);
        Server second = TestServers.start(other, Map.of("listen", first.url().replace("https://", "")));
        second.close();

        assertThat(filesIn(other)).isEqualTo(before);
    }

    @Test
    void shouldRewriteTheKubeconfigForANewPortWithTheSameToken(@TempDir Path other) throws Exception {
        Server first = TestServers.start(other);
        first.close();
        String token = token(other);
        Server second = TestServers.start(other, Map.of("listen", "localhost:0"));
        second.close();

        assertThat(Files.readString(other.resolve("kubeconfig")))
                .contains(second.url())
                .contains("https://localhost:");
        assertThat(token(other)).isEqualTo(token);
    }

    @Test
    void shouldMakeANewAdminTokenWhenTheKubeconfigIsLost(@TempDir Path other) throws Exception {
        TestServers.start(other).close();
        String lost = token(other);
        Files.delete(other.resolve("kubeconfig"));

        Server again = TestServers.start(other);
        try {
            HttpsClient stranger = clientOf(other, HttpClient.Version.HTTP_2);
            assertThat(stranger.get(again.url() + "/metrics", lost).statusCode())
                    .isEqualTo(401);
            assertThat(stranger.get(again.url() + "/metrics", token(other)).statusCode())
                    .isEqualTo(200);
        } finally {
            again.close();
        }
    }

    @Test
    void shouldSayWhoToAskWhenThePortIsTaken(@TempDir Path other) {
        String taken = server.url().replace("https://", "");

        Throwable thrown = catchThrowable(() -> TestServers.start(other, Map.of("listen", taken)));

        Failure failure = Failure.of(thrown);
        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.message())
                .contains("Expected to listen on " + taken)
                .contains("ss -ltnp 'sport = :" + URI.create(server.url()).getPort())
                .contains("--listen");
    }

    @Test
    void shouldSayWhichFileItWillNotReplace(@TempDir Path other) throws Exception {
        Path foreign = Files.writeString(other.resolve("config"), "clusters: [{name: production}]");

        Throwable thrown =
                catchThrowable(() -> TestServers.start(other.resolve("d"), Map.of("kubeconfig", foreign.toString())));

        assertThat(Failure.of(thrown).message()).contains(foreign.toString()).contains("production");
    }

    @Test
    void shouldServeWithoutTlsOnLoopbackIfAskedForAndAskForATokenThereToo(@TempDir Path other) throws Exception {
        Server plain = TestServers.start(other, Map.of("api.plainListen", "127.0.0.1:0"));
        try {
            URI nodes = URI.create(plain.plainUrl().orElseThrow() + "/api/v1/nodes");
            HttpClient http = HttpClient.newHttpClient();

            assertThat(http.send(HttpRequest.newBuilder(nodes).build(), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(401);
            HttpRequest known = HttpRequest.newBuilder(nodes)
                    .header("Authorization", "Bearer " + token(other))
                    .build();
            assertThat(http.send(known, HttpResponse.BodyHandlers.ofString()).body())
                    .contains("\"name\":\"testhost\"");
        } finally {
            plain.close();
        }
        assertThat(server.plainUrl()).isEmpty();
    }

    @Test
    void shouldListenWithoutTlsOnThisMachineOnly(@TempDir Path other) {
        Throwable thrown = catchThrowable(() -> TestServers.start(other, Map.of("api.plainListen", "0.0.0.0:0")));

        assertThat(Failure.of(thrown).message()).contains("api.plainListen").contains("127.0.0.1");
    }

    private static void assertStatus(HttpResponse<String> answer, int code, String reason, String message) {
        assertThat(answer.statusCode()).isEqualTo(code);
        assertThat(answer.headers().firstValue("content-type")).contains("application/json");
        assertThat(new JsonObject(answer.body()))
                .isEqualTo(new JsonObject()
                        .put("kind", "Status")
                        .put("apiVersion", "v1")
                        .put("metadata", new JsonObject())
                        .put("status", "Failure")
                        .put("message", message)
                        .put("reason", reason)
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
