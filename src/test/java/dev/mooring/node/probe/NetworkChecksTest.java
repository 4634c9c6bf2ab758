package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.mooring.control.Worlds;
import dev.mooring.node.usage.LookoutBench;
import dev.mooring.node.work.WorkParts;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
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

/** Probes over the network, with real servers on the loopback address. */
class NetworkChecksTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private final ExecutorService threads = WorkParts.newThreads();
    private final WorkParts work =
            new WorkParts(new LookoutBench(""), Clock.systemUTC(), Schedulers.computation(), threads);
    private final Checks checks = new Checks(new FakeExec(), work);

    @AfterEach
    void close() {
        checks.close();
        threads.shutdownNow();
    }

    private CompletableFuture<Answer> begin(String handler, int port) {
        // A busy machine is no reason to fail: only who says so waits for less than a minute.
        String limit = handler.contains("timeoutSeconds") ? "" : "timeoutSeconds: 60, ";
        ObjectNode spec = Worlds.objects("{name: c, ports: [{name: web, containerPort: " + port + "}], livenessProbe: {"
                        + limit
                        + handler.replace("PORT", "" + port) + "}}")
                .get(0);
        ProbeSpec probe = ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow();
        return checks.check(new Checker.Target(spec, "id", "127.0.0.1"), probe).toCompletableFuture();
    }

    private Answer ask(String handler, int port) throws Exception {
        return begin(handler, port).get(90, TimeUnit.SECONDS);
    }

    private static String get(String answer, int port) {
        return answer.replace("URL", "\"http://127.0.0.1:" + port + "/\"");
    }

    @Test
    void asksAsTheKubeletDoes() throws Exception {
        try (CannedServer server = new CannedServer(OK)) {
            Answer answer = ask(
                    "httpGet: {port: web, path: '/healthz?x=1', httpHeaders: [{name: X-A, value: b}, {name:"
                            + " Content-Length, value: '5'}]}",
                    server.port());

            assertThat(answer).isEqualTo(Answer.success());
            assertThat(server.requests.take())
                    .isEqualTo("GET /healthz?x=1 HTTP/1.1\r\nHost: 127.0.0.1:" + server.port()
                            + "\r\nX-A: b\r\nUser-Agent: kube-probe/1.35\r\nAccept: */*\r\nConnection: close\r\n\r\n");
        }
    }

    @Test
    void saysTheHostAndTheAgentThatTheSpecSays() throws Exception {
        try (CannedServer server = new CannedServer(OK)) {
            ask(
                    "httpGet: {port: PORT, host: localhost, httpHeaders: [{name: host, value: shop.test}, {name:"
                            + " user-agent, value: me}, {name: Accept, value: ''}]}",
                    server.port());

            assertThat(server.requests.take())
                    .isEqualTo("GET / HTTP/1.1\r\nHost: shop.test\r\nuser-agent: me\r\nConnection: close\r\n\r\n");
        }
    }

    @Test
    void refusesHeadersThatWouldBeSeveral() throws Exception {
        try (CannedServer server = new CannedServer(OK)) {
            Answer answer =
                    ask("httpGet: {port: PORT, httpHeaders: [{name: X, value: \"a\\r\\nEvil: b\"}]}", server.port());

            assertThat(answer)
                    .isEqualTo(Answer.failure(
                            get("Get URL: net/http: invalid header field value for \"X\"", server.port())));
            assertThat(server.requests).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 500, 503})
    void failsWithTheStatusAndWithoutTheBody(int status) throws Exception {
        try (CannedServer server = new CannedServer("HTTP/1.1 " + status + " Oh\r\n\r\nsecret")) {
            assertThat(ask("httpGet: {port: PORT}", server.port()))
                    .isEqualTo(Answer.failure("HTTP probe failed with statuscode: " + status));
        }
    }

    @Test
    void followsRedirectsOnTheSameHost() throws Exception {
        try (CannedServer server =
                new CannedServer("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n", OK)) {
            assertThat(ask("httpGet: {port: PORT, path: /here}", server.port())).isEqualTo(Answer.success());
            assertThat(server.requests.take()).startsWith("GET /here ");
            assertThat(server.requests.take()).startsWith("GET /there ");
        }
    }

    @Test
    void aRedirectToAnotherHostIsASuccessWithAWarning() throws Exception {
        try (CannedServer server =
                new CannedServer("HTTP/1.1 301 Moved\r\nLocation: http://localhost:PORT/\r\n\r\nover there")) {
            assertThat(ask("httpGet: {port: PORT}", server.port()))
                    .isEqualTo(Answer.warning("Probe terminated redirects, Response body: over there"));
            assertThat(server.requests).hasSize(1);
        }
    }

    @Test
    void doesNotRunInCircles() throws Exception {
        try (CannedServer server = new CannedServer("HTTP/1.1 307 Again\r\nLocation: /\r\n\r\n")) {
            assertThat(ask("httpGet: {port: PORT}", server.port()))
                    .isEqualTo(Answer.failure(get("Get URL: stopped after 10 redirects", server.port())));
            assertThat(server.requests).hasSize(10);
        }
    }

    @Test
    void aServerThatHangsHasFailedWhenTheTimeIsUp() throws Exception {
        try (CannedServer server = new CannedServer(CannedServer.HANG)) {
            assertThat(ask("timeoutSeconds: 1, httpGet: {port: PORT}", server.port()))
                    .isEqualTo(Answer.failure(get(
                            "Get URL: context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
                            server.port())));
        }
    }

    @Test
    void aBodyThatDoesNotEndCountsNeitherWay() throws Exception {
        try (CannedServer server =
                new CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nbegin" + CannedServer.HANG)) {
            assertThat(ask("timeoutSeconds: 5, httpGet: {port: PORT}", server.port())
                            .kind())
                    .isEqualTo(Answer.Kind.UNKNOWN);
        }
    }

    @Test
    void anAnswerIsEnoughEvenIfTheConnectionStaysOpen() throws Exception {
        try (CannedServer server = new CannedServer(OK + CannedServer.HANG)) {
            assertThat(ask("httpGet: {port: PORT}", server.port())).isEqualTo(Answer.success());
        }
    }

    @Test
    void saysHowAConnectionBroke() throws Exception {
        try (CannedServer server = new CannedServer("", CannedServer.RESET, "SSH-2.0-x\r\n")) {
            int port = server.port();
            assertThat(ask("httpGet: {port: PORT}", port).text()).isEqualTo(get("Get URL: EOF", port));
            assertThat(ask("httpGet: {port: PORT}", port).text())
                    .isEqualTo(get("Get URL: read: connection reset by peer", port));
            assertThat(ask("httpGet: {port: PORT}", port).text())
                    .isEqualTo(get(
                            "Get URL: net/http: HTTP/1.x transport connection broken: malformed HTTP response"
                                    + " \"SSH-2.0-x\"",
                            port));
        }
    }

    @Test
    void manyServersThatHangNeedNoThreadsOfTheirOwn() throws Exception {
        try (CannedServer server = new CannedServer(CannedServer.HANG)) {
            List<CompletableFuture<Answer>> all = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                all.add(begin("timeoutSeconds: 40, httpGet: {port: PORT}", server.port()));
            }
            try (CannedServer well = new CannedServer(OK)) {
                assertThat(ask("httpGet: {port: PORT}", well.port())).isEqualTo(Answer.success());
            }
            assertThat(all).noneMatch(CompletableFuture::isDone);
            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(each -> each.getName().startsWith("mooring-probe")))
                    .hasSizeLessThanOrEqualTo(2);
        }
    }

    @Test
    void tcpSucceedsWithAConnectionAndFailsWithout() throws Exception {
        int port;
        try (CannedServer server = new CannedServer(CannedServer.HANG)) {
            port = server.port();
            assertThat(ask("tcpSocket: {port: web}", port)).isEqualTo(Answer.success());
            assertThat(ask("tcpSocket: {port: PORT, host: localhost}", port)).isEqualTo(Answer.success());
        }
        assertThat(ask("tcpSocket: {port: PORT}", port))
                .isEqualTo(Answer.failure("dial tcp 127.0.0.1:" + port + ": connect: connection refused"));
        assertThat(ask("httpGet: {port: PORT}", port))
                .isEqualTo(Answer.failure(
                        get("Get URL: dial tcp 127.0.0.1:" + port + ": connect: connection refused", port)));
        assertThat(ask("tcpSocket: {port: PORT, host: no-such-host.invalid}", port))
                .isEqualTo(Answer.failure("dial tcp: lookup no-such-host.invalid: no such host"));
    }

    @Test
    void aPeerThatDoesNotLetAnybodyInHasFailedWhenTheTimeIsUp() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<SocketChannel> crowd = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                SocketChannel channel = SocketChannel.open();
                channel.configureBlocking(false);
                channel.connect(full.getLocalSocketAddress());
                crowd.add(channel);
            }
            assertThat(ask("timeoutSeconds: 1, tcpSocket: {port: PORT}", full.getLocalPort()))
                    .isEqualTo(Answer.failure("dial tcp 127.0.0.1:" + full.getLocalPort() + ": i/o timeout"));
            for (SocketChannel channel : crowd) {
                channel.close();
            }
        }
    }

    @Test
    void aPortThatIsNoneSaysNothingAboutTheContainer() throws Exception {
        assertThat(ask("httpGet: {port: nosuch}", 1))
                .isEqualTo(Answer.unknown("strconv.Atoi: parsing \"nosuch\": invalid syntax"));
        assertThat(ask("tcpSocket: {port: 70000}", 1)).isEqualTo(Answer.unknown("invalid port number: 70000"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void looksAtNoCertificate(String protocol, @TempDir Path directory) throws Exception {
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
            assertThat(ask("httpGet: {port: PORT, scheme: HTTPS, path: /ok}", port))
                    .isEqualTo(Answer.success());
            assertThat(ask("httpGet: {port: PORT, scheme: HTTPS}", port))
                    .isEqualTo(Answer.failure("HTTP probe failed with statuscode: 503"));
        } finally {
            server.stop(0);
        }
    }

    /** Of somebody else, and long out of date. */
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
                        "CN=somebody-else",
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
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).describedAs(said).isZero();
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
    void aServerWithoutTlsIsToldApart() throws Exception {
        try (CannedServer server =
                new CannedServer(CannedServer.FIRST + "HTTP/1.1 400 Bad Request\r\n\r\n" + CannedServer.HANG)) {
            assertThat(ask("httpGet: {port: PORT, scheme: HTTPS}", server.port()))
                    .isEqualTo(Answer.failure("Get \"https://127.0.0.1:" + server.port()
                            + "/\": http: server gave HTTP response to HTTPS client"));
        }
        try (CannedServer server = new CannedServer(CannedServer.HANG)) {
            assertThat(ask("timeoutSeconds: 1, httpGet: {port: PORT, scheme: HTTPS}", server.port())
                            .text())
                    .startsWith("Get \"https://127.0.0.1:" + server.port() + "/\": context deadline exceeded");
        }
    }
}
