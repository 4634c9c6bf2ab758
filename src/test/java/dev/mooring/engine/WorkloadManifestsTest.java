package dev.mooring.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.host.HostMachine;
import dev.mooring.testing.RealEngine;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code manifests/workloads} with kubectl on a real engine, from a fresh apply to a clean delete. */
@Timeout(600)
class WorkloadManifestsTest {
    private static final Path MANIFESTS = Path.of("manifests/workloads");
    private static final String WAIT = "--timeout=5m";

    @TempDir
    private static Path directory;

    private static MooringServerFixture server;

    @BeforeAll
    static void start() {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/kubectl")),
                "kubectl is missing (Debian package kubernetes-client)");
        server = MooringServerFixture.start(
                directory.resolve("data"),
                RealEngine.shared(),
                Map.of("services.range", MooringServerFixture.SERVICES_RANGE));
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
            MooringServerFixture.removeServicesRoute();
        }
    }

    @AfterEach
    void assertNothingIsLeft() {
        Eventually.await("no Pods", () -> server.api().list(MooringClient.PODS), List::isEmpty);
        Eventually.await("no claims", () -> server.api().list(MooringClient.CLAIMS), List::isEmpty);
        Eventually.await("no PersistentVolumes", () -> server.api().list(MooringClient.VOLUMES), List::isEmpty);
    }

    private static String kubectl(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "kubectl", "--kubeconfig", directory.resolve("data/kubeconfig").toString()));
        command.addAll(List.of(arguments));
        return HostMachine.run(command.toArray(String[]::new));
    }

    private static String shell(String target, String script) throws IOException, InterruptedException {
        return kubectl("exec", target, "--", "sh", "-c", script);
    }

    @Test
    void database_podReplacedAndScaled_keepsDataAndNames() throws Exception {
        String manifest = MANIFESTS.resolve("database.yaml").toString();
        kubectl("apply", "-f", manifest);
        kubectl("rollout", "status", "statefulset/db", WAIT);
        assertThat(kubectl("get", "pvc", "-o", "name").lines())
                .containsExactly("persistentvolumeclaim/data-db-0", "persistentvolumeclaim/data-db-1");
        assertThat(shell("db-0", "echo put color blue | nc db-1.db 5432")).isEqualTo("stored");

        kubectl("delete", "pod", "db-1");
        kubectl("rollout", "status", "statefulset/db", WAIT);
        assertThat(shell("db-0", "echo get color | nc db-1.db 5432")).isEqualTo("blue");
        assertThat(shell("db-0", "echo get color | nc db-0.db.default.svc.cluster.local 5432"))
                .isEqualTo("not found");

        kubectl("scale", "statefulset/db", "--replicas=1");
        kubectl("wait", "--for=delete", "pod/db-1", WAIT);
        kubectl("scale", "statefulset/db", "--replicas=2");
        kubectl("rollout", "status", "statefulset/db", WAIT);
        assertThat(shell("db-0", "echo get color | nc db-1.db 5432")).isEqualTo("blue");

        kubectl("delete", "-f", manifest, WAIT);
    }

    @Test
    void webApplication_rolledOutAndBack_servesOnItsNodePort() throws Exception {
        int port = freeNodePort();
        Path manifest = directory.resolve("web-application.yaml");
        Files.writeString(
                manifest,
                Files.readString(MANIFESTS.resolve("web-application.yaml"))
                        .replace("nodePort: 30080", "nodePort: " + port));
        kubectl("apply", "-f", manifest.toString());
        kubectl("rollout", "status", "deployment/shop", WAIT);
        untilPage(port, "welcome from shop-");
        shell("deployment/shop", "echo photo >/uploads/file");
        assertThat(get(port, "/uploads/file", "").statusCode()).isEqualTo(401);
        assertThat(get(port, "/uploads/file", "shop:correct-horse").body()).isEqualTo("photo\n");

        kubectl(
                "patch",
                "deployment/shop",
                "--type=json",
                "-p",
                "[{\"op\":\"replace\",\"path\":\"/spec/template/spec/initContainers/0/env/0/value\",\"value\":\"hello\"}]");
        kubectl("rollout", "status", "deployment/shop", WAIT);
        untilPage(port, "hello from shop-");
        assertThat(get(port, "/uploads/file", "shop:correct-horse").body()).isEqualTo("photo\n");
        kubectl("rollout", "undo", "deployment/shop");
        kubectl("rollout", "status", "deployment/shop", WAIT);
        untilPage(port, "welcome from shop-");

        kubectl("delete", "-f", manifest.toString(), WAIT);
    }

    @Test
    void migration_jobAndCronJob_readClaimsThroughTheApi() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "curl is missing");
        HostMachine.run(
                "env",
                "DOCKER_HOST=" + RealEngine.shared().host(),
                "scripts/engine",
                "image",
                "curlimages/curl:latest",
                "curl");
        String manifest = MANIFESTS.resolve("migration.yaml").toString();
        kubectl("apply", "-f", manifest);
        kubectl("wait", "--for=condition=complete", "job/migration", WAIT);
        assertThat(kubectl("logs", "job/migration")).isEqualTo("schema 1");

        kubectl("create", "job", "--from=cronjob/claim-report", "now");
        kubectl("wait", "--for=condition=complete", "job/now", WAIT);
        assertThat(kubectl("logs", "job/now")).isEqualTo("1");

        kubectl("delete", "job", "now", WAIT);
        kubectl("delete", "-f", manifest, WAIT);
    }

    /** Waits until the page of both replicas starts with a text: after a rollout, old Pods may still respond. */
    private static void untilPage(int port, String start) throws Exception {
        Eventually.await(
                "a page that starts with " + start,
                () -> {
                    try {
                        return get(port, "/", "").body();
                    } catch (ConnectException e) {
                        return "";
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                body -> body.startsWith(start));
    }

    private static HttpResponse<String> get(int port, String path, String credentials)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (!credentials.isEmpty()) {
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Returns a port for a NodePort that no other process on this machine uses. */
    private static int freeNodePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(30_000, 32_768);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // Another process uses it.
            }
        }
    }
}
