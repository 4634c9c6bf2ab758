package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Names, addresses and node ports of Services with Pods on a real engine, and a server that is killed. */
@Timeout(600)
class ServicesOnEngineTest {
    private static final String SERVICES = "/api/v1/namespaces/default/services";
    private static final String SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    private static final String SERVE = "mkdir /w; echo CONTENT >/w/index.html; exec httpd -f -p 8080 -h /w";

    @TempDir
    private Path directory;

    private final Set<String> uids = new HashSet<>();
    private MooringProcess server;
    private PodLeftovers leftovers;
    private int clients;

    @BeforeEach
    void start() throws IOException {
        Path data = directory.resolve("data");
        RealEngine engine = RealEngine.shared();
        leftovers = new PodLeftovers(data, new RealEngineApi(engine.socket()), uids);
        server = new MooringProcess(
                data,
                directory.resolve("stderr"),
                engine.host(),
                Map.of("MOORING_SERVICES_RANGE", MooringServerFixture.SERVICES_RANGE));
        server.launch();
        server.awaitReady();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        leftovers.removeAll();
        MooringServerFixture.removeServicesRoute();
    }

    private void create(String name, String content) {
        String body = MooringServerFixture.pod(
                        name, SERVE.replace("CONTENT", content), "'hostname':'" + name + "'", "'subdomain':'db'")
                .replace("'metadata':{", "'metadata':{'labels':{'app':'db'},");
        uids.add(server.api().create(PODS, body).at("/metadata/uid").asText());
    }

    /** Runs a client Pod until its script succeeds, and returns its output. */
    private String client(String script) {
        String name = "client-" + ++clients;
        uids.add(server.api()
                .create(PODS, MooringServerFixture.pod(name, script, "'restartPolicy':'Never'"))
                .at("/metadata/uid")
                .asText());
        server.api()
                .until(
                        PODS,
                        name,
                        "to end",
                        pod -> Set.of("Succeeded", "Failed").contains(MooringClient.phase(pod)));
        String output = server.api().logs(name);
        server.api().remove(PODS, name);
        return output;
    }

    private static String until(String command) {
        return "until " + command + " 2>/dev/null; do sleep 1; done";
    }

    private static String fetch(String url) throws InterruptedException {
        try {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(url))
                                    .timeout(Duration.ofSeconds(30))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body()
                    .strip();
        } catch (IOException e) {
            return "failed: " + e.getClass().getSimpleName();
        }
    }

    private static void untilFetched(String url, String expected) {
        Eventually.await(
                url + " to return " + expected,
                () -> {
                    try {
                        return fetch(url);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                each -> each.startsWith(expected));
    }

    @Test
    void services_podsReplacedAndServerKilled_namesAndPortsReachReadyPods() throws Exception {
        MooringClient api = server.api();
        create("db-0", "first");
        api.create(
                SERVICES,
                "{'metadata':{'name':'db'},'spec':{'clusterIP':'None','selector':{'app':'db'},'ports':[{'port':8080}]}}");
        JsonNode web = api.create(
                SERVICES,
                "{'metadata':{'name':'web'},'spec':{'type':'NodePort','selector':{'app':'db'},"
                        + "'ports':[{'port':80,'targetPort':8080}]}}");
        String address = web.at("/spec/clusterIP").asText();
        assertThat(address).startsWith(MooringServerFixture.SERVICES_NETWORK + ".");
        String nodePort = "http://127.0.0.1:" + web.at("/spec/ports/0/nodePort").asInt();

        assertThat(client(until("timeout 5 wget -q -O - http://web/")
                        + "; timeout 5 wget -q -O - http://db-0.db:8080/"
                        + "; timeout 5 wget -q -O - http://db.default.svc.cluster.local:8080/"
                        + "; timeout 5 wget -q -O - http://web.default/; nslookup nothing.default.svc.cluster.local"
                        + "; cat /etc/resolv.conf; echo $WEB_SERVICE_HOST:$WEB_SERVICE_PORT"))
                .startsWith("first\nfirst\nfirst\nfirst\n")
                .contains("NXDOMAIN")
                .contains("search default.svc.cluster.local svc.cluster.local cluster.local")
                .contains("nameserver " + MooringServerFixture.SERVICES_NETWORK + ".10")
                .contains(address + ":80");
        untilFetched(nodePort, "first");
        untilFetched("http://" + address, "first");

        assertThat(client("echo $KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT; "
                        + until("nc -w 5 kubernetes.default.svc 443 </dev/null")
                        + "; echo reached"))
                .isEqualTo(MooringServerFixture.SERVICES_NETWORK + ".1:443\nreached\n");
        MooringClient inCluster = MooringClient.at(
                "https://" + MooringServerFixture.SERVICES_NETWORK + ".1:443", directory.resolve("data"));
        assertThat(inCluster.get("/api/v1/namespaces/default").code()).isEqualTo(200);

        server.killAfter(0);
        assertThat(fetch(nodePort)).startsWith("failed");
        server.launch();
        server.awaitReady();
        untilFetched(nodePort, "first");
        assertThat(client(until("timeout 5 wget -q -O - http://web/"))).isEqualTo("first\n");

        server.api().remove(PODS, "db-0");
        server.api().untilGone(PODS, "db-0");
        assertThat(fetch(nodePort)).startsWith("failed");
        create("db-0", "second");
        untilFetched(nodePort, "second");
        assertThat(client(until("timeout 5 wget -q -O - http://db-0.db:8080/"))).isEqualTo("second\n");

        server.api().remove(SERVICES, "web");
        server.api().remove(SERVICES, "db");
        untilFetched(nodePort, "failed: ConnectException");
        Eventually.await(
                "no slices of deleted Services", () -> server.api().list(SLICES), slices -> slices.size() == 1);
        server.api().remove(PODS, "db-0");
        server.api().untilGone(PODS, "db-0");
        Eventually.await("no leftovers", leftovers::all, List::isEmpty);
    }
}
