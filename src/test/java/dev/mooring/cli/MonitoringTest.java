package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.host.HostMachine;
import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.HostInspector;
import dev.mooring.testing.StablePort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of {@code deploy/monitoring} with Prometheus: the alerts fire as their unit tests state, and each query of the
 * dashboard and each metric of an alert has data when Prometheus scrapes a server with the documented configuration.
 */
@Timeout(600)
class MonitoringTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path FILES = Path.of("deploy/monitoring");
    private static final Path PROMETHEUS = Path.of("/usr/bin/prometheus");
    private static final Pattern METRIC =
            Pattern.compile("\\b((?:mooring|kube|kubelet|storage|volume|process)_[a-z_]+|up)\\{");

    @TempDir
    private Path temporary;

    @BeforeAll
    static void requirePrometheus() {
        assumeTrue(Files.isExecutable(PROMETHEUS), PROMETHEUS + " is missing (Debian package prometheus)");
    }

    @Test
    void alerts_unitTestsOfPromtool_pass() throws Exception {
        HostMachine.run("promtool", "check", "rules", FILES + "/alerts.yaml");
        HostMachine.run("promtool", "check", "config", "--syntax-only", FILES + "/prometheus.yaml");
        String tests = "src/test/resources/monitoring/alerts-test.yaml";
        HostMachine.run("promtool", "test", "rules", tests);

        Matcher names = Pattern.compile("alert: (\\w+)").matcher(Files.readString(FILES.resolve("alerts.yaml")));
        String tested = Files.readString(Path.of(tests));
        assertThat(names.results().map(each -> each.group(1)))
                .isNotEmpty()
                .allMatch(each -> tested.contains("alertname: " + each + "\n"));
    }

    @Test
    void dashboardAndAlerts_realServer_everyQueryHasData() throws Exception {
        HostMachine.assumeRoot();
        Path data = temporary.toRealPath().resolve("data");
        Server server = ServerFixture.start(data, Map.of("node", "n1"));
        try {
            apply(server, data);
            try (Prometheus prometheus = Prometheus.start(temporary, server, data)) {
                prometheus.awaitData("up{job=\"mooring\"} == 1");
                prometheus.awaitData("kubelet_volume_stats_used_bytes{job=\"mooring\"}");
                for (String query : dashboardQueries()) {
                    prometheus.awaitData(query);
                }
                for (String metric : alertMetrics()) {
                    prometheus.awaitData(metric + "{job=\"mooring\"}");
                }
                assertThat(prometheus.ask("rules").findValuesAsText("health"))
                        .isNotEmpty()
                        .allMatch(each -> each.equals("ok") || each.equals("unknown"));
            }
        } finally {
            server.close();
            new HostInspector(data).cleanUp();
        }
    }

    /** Creates a mounted claim, and a Pod whose NFS server refuses connections. */
    private void apply(Server server, Path data) throws Exception {
        HttpsClient client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
        String token = token(server, "setup", "admin");
        String core = server.url() + "/api/v1";
        create(client, token, core + "/persistentvolumes", """
            {'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'share'},
             'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteMany'],'storageClassName':'none',
                     'nfs':{'server':'127.0.0.1','path':'/'}}}\
            """);
        create(client, token, core + "/namespaces/default/persistentvolumeclaims", """
            {'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'data'},
             'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}\
            """);
        create(client, token, core + "/namespaces/default/persistentvolumeclaims", """
            {'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'share'},
             'spec':{'accessModes':['ReadWriteMany'],'storageClassName':'none','volumeName':'share',
                     'resources':{'requests':{'storage':'1Gi'}}}}\
            """);
        for (String claim : List.of("data", "share")) {
            create(client, token, core + "/namespaces/default/pods", """
                {'apiVersion':'v1','kind':'Pod','metadata':{'name':'NAME'},'spec':{
                 'containers':[{'name':'c','image':'busybox','volumeMounts':[{'name':'v','mountPath':'/v'}]}],
                 'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'NAME'}}]}}\
                """.replace("NAME", claim));
        }
    }

    private static void create(HttpsClient client, String token, String url, String json) throws Exception {
        HttpResponse<String> response = client.send(HttpRequest.newBuilder(URI.create(url))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json.replace('\'', '"'))));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
    }

    private static String token(Server server, String name, String role) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ProcessEnvironment environment = ServerFixture.ambient(
                Map.of("MOORING_KUBECONFIG", server.kubeconfig().toString()), out, new ByteArrayOutputStream());
        assertThat(new Cli(environment).run("token", "create", name, "--role", role))
                .isZero();
        return out.toString(StandardCharsets.UTF_8).strip();
    }

    private static List<String> dashboardQueries() throws IOException {
        List<String> queries = new ArrayList<>();
        for (JsonNode panel :
                JSON.readTree(Files.readString(FILES.resolve("dashboard.json"))).path("panels")) {
            panel.path("targets")
                    .forEach(target -> queries.add(target.path("expr")
                            .asText()
                            .replace("$job", "mooring")
                            .replace("$instance", ".*")
                            .replace("$namespace", ".*")
                            .replace("$__rate_interval", "1m")));
        }
        assertThat(queries).hasSizeGreaterThan(20).noneMatch(each -> each.contains("$"));
        return queries;
    }

    private static List<String> alertMetrics() throws IOException {
        List<String> metrics = METRIC.matcher(Files.readString(FILES.resolve("alerts.yaml")))
                .results()
                .map(each -> each.group(1))
                .distinct()
                .toList();
        assertThat(metrics).hasSizeGreaterThan(10);
        return metrics;
    }

    /** A Prometheus process with the configuration of {@code deploy/monitoring}, adapted to a server of a test. */
    private record Prometheus(Process process, String url, HttpClient client) implements AutoCloseable {
        static Prometheus start(Path directory, Server server, Path data) throws IOException {
            Path token = directory.resolve("mooring.token");
            Files.writeString(token, token(server, "prometheus", "view"));
            String configuration = Files.readString(FILES.resolve("prometheus.yaml"))
                    .replace("/etc/prometheus/mooring.token", token.toString())
                    .replace(
                            "/etc/prometheus/mooring-ca.crt",
                            data.resolve("pki/ca.crt").toString())
                    .replace("127.0.0.1:7443", URI.create(server.url()).getAuthority())
                    .replace("30s", "1s");
            Files.writeString(directory.resolve("prometheus.yaml"), configuration);
            Files.copy(FILES.resolve("alerts.yaml"), directory.resolve("alerts.yaml"));
            String address = "127.0.0.1:" + StablePort.find();
            Process process = new ProcessBuilder(
                            PROMETHEUS.toString(),
                            "--config.file=" + directory.resolve("prometheus.yaml"),
                            "--storage.tsdb.path=" + directory.resolve("tsdb"),
                            "--web.listen-address=" + address)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("prometheus.log").toFile())
                    .start();
            return new Prometheus(process, "http://" + address + "/api/v1/", HttpClient.newHttpClient());
        }

        JsonNode ask(String path) throws IOException, InterruptedException {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).build();
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode())
                    .as("%s: %s", path, response.body())
                    .isIn(200, 503);
            return JSON.readTree(response.statusCode() == 200 ? response.body() : "{}");
        }

        /** Waits until the query has a result; the time limit of the test ends the wait and names the query. */
        void awaitData(String query) throws Exception {
            String path = "query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
            try {
                ConditionPoller.until(() -> {
                    assertThat(process.isAlive()).as("Prometheus runs").isTrue();
                    try {
                        return !ask(path).path("data").path("result").isEmpty();
                    } catch (ConnectException e) {
                        return false;
                    }
                });
            } catch (InterruptedException e) {
                throw new AssertionError("No data for " + query, e);
            }
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            process.waitFor();
        }
    }
}
