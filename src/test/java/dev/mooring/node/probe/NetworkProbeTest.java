package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.mooring.control.WorldFixture;
import dev.mooring.node.monitor.NodeControllersFixture;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.testing.ConditionPoller;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests HTTP, TCP and TLS probes with real servers on the loopback address. */
class NetworkProbeTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private final ExecutorService threads = WorkContext.newThreads();
    private final WorkContext work =
            new WorkContext(new NodeControllersFixture(""), Clock.systemUTC(), Schedulers.computation(), threads);
    private final ContainerProber prober = new ContainerProber(new FakeExecRuntime(), work);

    @AfterEach
    void close() {
        prober.close();
        threads.shutdownNow();
    }

    private CompletableFuture<Prober.ProbeResult> startProbe(String handler, int port) {
        // Tests must not fail on a busy machine: probes have a minute unless the test sets a timeout.
        String limit = handler.contains("timeoutSeconds") ? "" : "timeoutSeconds: 60, ";
        ObjectNode spec = WorldFixture.objects(
                        "{name: c, ports: [{name: web, containerPort: " + port + "}], livenessProbe: {"
                                + limit
                                + handler.replace("PORT", "" + port) + "}}")
                .get(0);
        ProbeSpec probe = ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow();
        return prober.probe(new Prober.Target(spec, "id", "127.0.0.1"), probe).toCompletableFuture();
    }

    private Prober.ProbeResult probe(String handler, int port) throws Exception {
        return startProbe(handler, port).get(90, TimeUnit.SECONDS);
    }

    private static String withUrl(String message, int port) {
        return message.replace("URL", "\"http://127.0.0.1:" + port + "/\"");
    }

    @Test
    void httpProbe_sendsRequestOfTheKubelet() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer(OK)) {
            Prober.ProbeResult result = probe(
                    "httpGet: {port: web, path: '/healthz?x=1', httpHeaders: [{name: X-A, value: b}, {name:"
                            + " Content-Length, value: '5'}]}",
                    server.port());

            assertThat(result).isEqualTo(Prober.ProbeResult.success());
            assertThat(server.requests.take())
                    .isEqualTo("GET /healthz?x=1 HTTP/1.1\r\nHost: 127.0.0.1:" + server.port()
                            + "\r\nX-A: b\r\nUser-Agent: kube-probe/1.35\r\nAccept: */*\r\nConnection: close\r\n\r\n");
        }
    }

    @Test
    void httpProbe_headersInSpec_replaceDefaults() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer(OK)) {
            probe(
                    "httpGet: {port: PORT, host: localhost, httpHeaders: [{name: host, value: shop.test}, {name:"
                            + " user-agent, value: me}, {name: Accept, value: ''}]}",
                    server.port());

            assertThat(server.requests.take())
                    .isEqualTo("GET / HTTP/1.1\r\nHost: shop.test\r\nuser-agent: me\r\nConnection: close\r\n\r\n");
        }
    }

    @Test
    void httpProbe_lineBreakInHeader_fails() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer(OK)) {
            Prober.ProbeResult result =
                    probe("httpGet: {port: PORT, httpHeaders: [{name: X, value: \"a\\r\\nEvil: b\"}]}", server.port());

            assertThat(result)
                    .isEqualTo(Prober.ProbeResult.failure(
                            withUrl("Get URL: net/http: invalid header field value for \"X\"", server.port())));
            assertThat(server.requests).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 500, 503})
    void httpProbe_errorStatus_failsWithoutShowingBody(int status) throws Exception {
        try (FakeProbeServer server = new FakeProbeServer("HTTP/1.1 " + status + " Oh\r\n\r\nsecret")) {
            assertThat(probe("httpGet: {port: PORT}", server.port()))
                    .isEqualTo(Prober.ProbeResult.failure("HTTP probe failed with statuscode: " + status));
        }
    }

    @Test
    void httpProbe_redirectToSameHost_isFollowed() throws Exception {
        try (FakeProbeServer server =
                new FakeProbeServer("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n", OK)) {
            assertThat(probe("httpGet: {port: PORT, path: /here}", server.port()))
                    .isEqualTo(Prober.ProbeResult.success());
            assertThat(server.requests.take()).startsWith("GET /here ");
            assertThat(server.requests.take()).startsWith("GET /there ");
        }
    }

    @Test
    void httpProbe_redirectToOtherHost_isNotFollowed() throws Exception {
        try (FakeProbeServer server =
                new FakeProbeServer("HTTP/1.1 301 Moved\r\nLocation: http://localhost:PORT/\r\n\r\nsecret")) {
            assertThat(probe("httpGet: {port: PORT}", server.port()))
                    .isEqualTo(Prober.ProbeResult.warning("Probe terminated redirects"));
            assertThat(server.requests).hasSize(1);
        }
    }

    @Test
    void httpProbe_redirectLoop_fails() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer("HTTP/1.1 307 Again\r\nLocation: /\r\n\r\n")) {
            assertThat(probe("httpGet: {port: PORT}", server.port()))
                    .isEqualTo(
                            Prober.ProbeResult.failure(withUrl("Get URL: stopped after 10 redirects", server.port())));
            assertThat(server.requests).hasSize(10);
        }
    }

    @Test
    void httpProbe_serverHangs_failsAfterTimeout() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer(FakeProbeServer.HANG)) {
            assertThat(probe("timeoutSeconds: 1, httpGet: {port: PORT}", server.port()))
                    .isEqualTo(Prober.ProbeResult.failure(withUrl(
                            "Get URL: context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
                            server.port())));
        }
    }

    @Test
    void httpProbe_incompleteBody_isUnknown() throws Exception {
        try (FakeProbeServer server =
                new FakeProbeServer("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nbegin" + FakeProbeServer.HANG)) {
            assertThat(probe("timeoutSeconds: 5, httpGet: {port: PORT}", server.port())
                            .kind())
                    .isEqualTo(Prober.ProbeResult.Kind.UNKNOWN);
        }
    }

    @Test
    void httpProbe_connectionStaysOpen_succeeds() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer(OK + FakeProbeServer.HANG)) {
            assertThat(probe("httpGet: {port: PORT}", server.port())).isEqualTo(Prober.ProbeResult.success());
        }
    }

    @Test
    void httpProbe_connectionBreaks_failsWithCause() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer("", FakeProbeServer.RESET, "SSH-2.0-x\r\n")) {
            int port = server.port();
            assertThat(probe("httpGet: {port: PORT}", port).message()).isEqualTo(withUrl("Get URL: EOF", port));
            assertThat(probe("httpGet: {port: PORT}", port).message())
                    .isEqualTo(withUrl("Get URL: read: connection reset by peer", port));
            assertThat(probe("httpGet: {port: PORT}", port).message())
                    .isEqualTo(withUrl(
                            "Get URL: net/http: HTTP/1.x transport connection broken: malformed HTTP response", port));
        }
    }

    @Test
    void httpProbe_manyServersHang_usesFewThreads() throws Exception {
        // Threads of the tests before may still be ending.
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        try (FakeProbeServer server = new FakeProbeServer(FakeProbeServer.HANG)) {
            List<CompletableFuture<Prober.ProbeResult>> all = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                all.add(startProbe("timeoutSeconds: 40, httpGet: {port: PORT}", server.port()));
            }
            try (FakeProbeServer healthy = new FakeProbeServer(OK)) {
                assertThat(probe("httpGet: {port: PORT}", healthy.port())).isEqualTo(Prober.ProbeResult.success());
            }
            assertThat(all).noneMatch(CompletableFuture::isDone);
            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(each -> each.getName().startsWith("mooring-probe") && !others.contains(each)))
                    .hasSizeLessThanOrEqualTo(2);
        }
    }

    @Test
    void tcpProbe_succeedsIfConnectionIsEstablished() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer(FakeProbeServer.HANG)) {
            int port = server.port();
            assertThat(probe("tcpSocket: {port: web}", port)).isEqualTo(Prober.ProbeResult.success());
            assertThat(probe("tcpSocket: {port: PORT, host: localhost}", port)).isEqualTo(Prober.ProbeResult.success());
        }
        try (Socket refusing = FakeProbeServer.refusing()) {
            int port = refusing.getLocalPort();
            assertThat(probe("tcpSocket: {port: PORT}", port))
                    .isEqualTo(
                            Prober.ProbeResult.failure("dial tcp 127.0.0.1:" + port + ": connect: connection refused"));
            assertThat(probe("httpGet: {port: PORT}", port))
                    .isEqualTo(Prober.ProbeResult.failure(
                            withUrl("Get URL: dial tcp 127.0.0.1:" + port + ": connect: connection refused", port)));
            assertThat(probe("tcpSocket: {port: PORT, host: no-such-host.invalid}", port))
                    .isEqualTo(Prober.ProbeResult.failure("dial tcp: lookup no-such-host.invalid: no such host"));
        }
    }

    @Test
    void tcpProbe_backlogFull_failsAfterTimeout() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<SocketChannel> connections = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                SocketChannel channel = SocketChannel.open();
                channel.configureBlocking(false);
                channel.connect(full.getLocalSocketAddress());
                connections.add(channel);
            }
            // Two fit into the queue of the server.
            ConditionPoller.until(() -> countConnected(connections) >= 2);
            assertThat(probe("timeoutSeconds: 1, tcpSocket: {port: PORT}", full.getLocalPort()))
                    .isEqualTo(
                            Prober.ProbeResult.failure("dial tcp 127.0.0.1:" + full.getLocalPort() + ": i/o timeout"));
            for (SocketChannel channel : connections) {
                channel.close();
            }
        }
    }

    private static int countConnected(List<SocketChannel> connections) throws IOException {
        int count = 0;
        for (SocketChannel channel : connections) {
            if (channel.isConnected() || channel.finishConnect()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void probe_invalidPort_isUnknown() throws Exception {
        assertThat(probe("httpGet: {port: nosuch}", 1))
                .isEqualTo(Prober.ProbeResult.unknown("strconv.Atoi: parsing \"nosuch\": invalid syntax"));
        assertThat(probe("tcpSocket: {port: 70000}", 1))
                .isEqualTo(Prober.ProbeResult.unknown("invalid port number: 70000"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void httpsProbe_invalidCertificate_isAccepted(String protocol, @TempDir Path directory) throws Exception {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(directory)) {
            @Override
            public void configure(HttpsParameters params) {
                params.setProtocols(new String[] {protocol});
            }
        });
        server.createContext("/", exchange -> {
            byte[] body = new byte[200_000];
            int status = exchange.getRequestURI().getPath().equals("/ok") ? 200 : 503;
            exchange.sendResponseHeaders(status, body.length);
            try (var out = exchange.getResponseBody()) {
                out.write(body);
            } catch (IOException e) {
                // A probe reads only the beginning.
            }
        });
        server.start();
        try {
            int port = server.getAddress().getPort();
            assertThat(probe("httpGet: {port: PORT, scheme: HTTPS, path: /ok}", port))
                    .isEqualTo(Prober.ProbeResult.success());
            assertThat(probe("httpGet: {port: PORT, scheme: HTTPS}", port))
                    .isEqualTo(Prober.ProbeResult.failure("HTTP probe failed with statuscode: 503"));
        } finally {
            server.stop(0);
        }
    }

    /** Returns a context with an expired certificate of another host. */
    private static SSLContext context(Path directory) throws Exception {
        Path store = directory.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "x",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=other-host",
                        "-startdate",
                        "2020/01/01 00:00:00",
                        "-validity",
                        "1",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "password",
                        "-storetype",
                        "PKCS12")
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).describedAs(output).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "password".toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, "password".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    @Test
    void httpsProbe_serverWithoutTls_fails() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer(
                FakeProbeServer.FIRST + "HTTP/1.1 400 Bad Request\r\n\r\n" + FakeProbeServer.HANG)) {
            assertThat(probe("httpGet: {port: PORT, scheme: HTTPS}", server.port()))
                    .isEqualTo(Prober.ProbeResult.failure("Get \"https://127.0.0.1:" + server.port()
                            + "/\": http: server gave HTTP response to HTTPS client"));
        }
        try (FakeProbeServer server = new FakeProbeServer(FakeProbeServer.HANG)) {
            assertThat(probe("timeoutSeconds: 1, httpGet: {port: PORT, scheme: HTTPS}", server.port())
                            .message())
                    .startsWith("Get \"https://127.0.0.1:" + server.port() + "/\": context deadline exceeded");
        }
    }
}
