package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mooring.api.http.HttpLimits;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that other users and the admin are served while a user or a client without a token exhausts a limit. */
@Timeout(300)
class LimitsSharesTest {
    private static final InetAddress IPV6_LOOPBACK = ipv6Loopback();
    private static final String MAPS = DEFAULT + "/configmaps";
    private static final int WATCHES = 40;
    private static final int CONNECTIONS = 64;

    private static final int CONNECTIONS_OF_USER = CONNECTIONS / 4;

    @TempDir
    private static Path data;

    private static ApiUnderTest admin;
    private static final List<ApiUnderTest> USERS = new ArrayList<>();

    private final List<Closeable> held = new ArrayList<>();

    @BeforeAll
    static void start() {
        admin = ApiUnderTest.start(
                data,
                Map.of(
                        "api.maxWatches", "" + WATCHES,
                        "api.maxConnections", "" + CONNECTIONS,
                        "api.authenticationTimeout", "1h"));
        for (String name : List.of("a", "b", "c", "d", "e")) {
            USERS.add(admin.withToken(admin.createToken(name, "'role':'edit','namespaces':['default']")));
        }
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    @AfterEach
    void releaseHeld() throws IOException {
        for (Closeable each : held) {
            each.close();
        }
        while (!metric("mooring_http_watches").equals("0.0")
                || !metric("mooring_http_unread_bytes").equals("0.0")) {
            Thread.onSpinWait(); // until the server has noticed
        }
    }

    @Test
    void watches_ofOneUserAtLimit_leaveRoomForOthersAndAdmin() {
        for (int user = 0; user < 4; user++) {
            int share = user < 3 ? WATCHES / 4 : WATCHES / 4 - WATCHES / 16;
            for (int i = 0; i < share; i++) {
                assertThat(watch(USERS.get(user))).isEqualTo(200);
            }
        }
        Reply beyondShare = USERS.get(0).get(MAPS + "?watch=true");
        assertTooMany(beyondShare, "User \"a\" has reached the limit of 10 open watches (api.maxWatches) for one user");
        Reply beyondAll = USERS.get(4).get(MAPS + "?watch=true");
        assertTooMany(beyondAll, "limit of 38 open watches (api.maxWatches) for users who are not admins");
        assertThat(watch(admin)).isEqualTo(200);
        assertThat(watch(admin)).isEqualTo(200);
        assertTooMany(admin.get(MAPS + "?watch=true"), "limit of 40 open watches");
        assertThat(USERS.get(0).get(MAPS).code()).isEqualTo(200);
    }

    @Test
    void watches_ended_noLongerCountTowardsLimit() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < WATCHES / 4; i++) {
                try (TestWatch watch = USERS.get(0).watch(MAPS + "?timeoutSeconds=1&resourceVersion=1")) {
                    assertThat(watch.code()).isEqualTo(200);
                }
            }
            while (!metric("mooring_http_watches").equals("0.0")) {
                Thread.onSpinWait(); // until the server has noticed
            }
        }
    }

    @Test
    void largeBodies_ofOneUserAtLimit_leaveRoomForOthers() throws IOException {
        long large = HttpLimits.BODY_BYTES;
        String allButLastByte = " ".repeat((int) large - 1);
        long share = HttpLimits.IN_FLIGHT_BODY_BYTES / 4 / (large - HttpLimits.SMALL_BODY_BYTES);
        for (int i = 0; i < share; i++) {
            Http1Socket socket = hold(Http1Socket.open(USERS.get(0)));
            socket.head("POST " + MAPS, "Content-Type: application/json", "Content-Length: " + large);
            socket.send(allButLastByte);
        }
        String body = configMap("large");
        String padded = body + " ".repeat((int) large - body.length());
        Reply refused = USERS.get(0).post(MAPS, padded);
        while (refused.code() != 429) { // until the server has read what was sent before
            assertThat(refused.code()).isIn(201, 409);
            refused = USERS.get(0).post(MAPS, padded);
        }
        assertTooMany(refused, "bytes of large request bodies in flight for one user");
        assertThat(USERS.get(1).post(MAPS, padded).code()).isIn(201, 409);
        assertThat(admin.put(MAPS + "/large", padded).code()).isEqualTo(200);
    }

    @Test
    void unreadResponses_ofOneUserAtLimit_leaveRoomForOthers() throws IOException, Http2Exception {
        String name = MAPS + "/answer";
        assertThat(admin.post(MAPS, configMap("answer", "k", "x".repeat(900_000)))
                        .code())
                .isEqualTo(201);
        int refused = -1;
        for (int connection = 0; refused < 0; connection++) {
            assertThat(connection).isLessThan(CONNECTIONS_OF_USER);
            Http2Socket socket =
                    hold(Http2Socket.open(USERS.get(0), Http2Socket.setting(Http2Socket.INITIAL_WINDOW_SIZE, 0)));
            for (int i = 0; i < 20 && refused < 0; i++) {
                socket.send(Http2Socket.frame(
                        Http2Socket.HEADERS,
                        Http2Socket.END_HEADERS | Http2Socket.END_STREAM,
                        2 * i + 1,
                        Http2Socket.get(USERS.get(0), name)));
                refused = socket.status() == 429 ? connection * 20 + i : refused;
            }
        }
        assertThat(refused).isBetween(1, (int) (HttpLimits.UNREAD_RESPONSE_BYTES / 4 / 900_000));
        assertTooMany(USERS.get(0).get(name), "bytes of large unread responses for one user");
        assertThat(USERS.get(0).get(MAPS + "?limit=1").code()).isIn(200, 429);
        assertThat(USERS.get(1).get(name).code()).isEqualTo(200);
        assertThat(admin.get(name).code()).isEqualTo(200);
    }

    @Test
    void connections_ofOneUserAtLimit_leaveRoomForOthers() throws IOException {
        int code = 200;
        for (int i = 0; i <= CONNECTIONS_OF_USER && code == 200; i++) {
            Http1Socket socket = hold(Http1Socket.open(USERS.get(0)));
            Http1Socket.Http1Response answer = socket.request("GET " + MAPS + "?limit=1");
            code = answer.code();
            if (code == 429) {
                assertThat(answer.body()).contains("open connections (api.maxConnections) for one user");
                assertThat(answer.headers()).containsKey("retry-after");
                assertThat(socket.drain()).isZero();
            }
        }
        assertThat(code).isEqualTo(429);
        assertThat(fresh(USERS.get(1)).get(MAPS).code()).isEqualTo(200);
        assertThat(fresh(admin).get(MAPS).code()).isEqualTo(200);
    }

    @Test
    void connectionsWithoutToken_beyondLimit_areEvictedForOthers() throws IOException {
        Http1Socket before = hold(Http1Socket.open(USERS.get(1)));
        assertThat(before.request("GET " + MAPS + "?limit=1").code()).isEqualTo(200);
        for (int i = 0; i < 3 * CONNECTIONS; i++) {
            hold(new Socket(InetAddress.getLoopbackAddress(), admin.port())); // never begins TLS
            SSLSocket silent = hold((SSLSocket) admin.tls().getSocketFactory().createSocket("127.0.0.1", admin.port()));
            silent.startHandshake();
            if (i % 50 == 0) {
                assertThat(fresh(admin).get(MAPS).code()).isEqualTo(200);
            }
        }
        assertThat(fresh(admin).get(MAPS).code()).isEqualTo(200);
        assertThat(fresh(USERS.get(0)).get(MAPS).code()).isEqualTo(200);
        assertThat(fresh(admin.withToken("")).get("/readyz").code()).isEqualTo(200);
        assertThat(before.request("GET " + MAPS + "?limit=1").code()).isEqualTo(200);
        assertThat(Double.parseDouble(metric("mooring_http_connections_evicted_total")))
                .isGreaterThanOrEqualTo(5 * CONNECTIONS);
    }

    @Test
    void connection_requestsWithInvalidToken_isClosed() throws IOException {
        try (Http1Socket socket = Http1Socket.open(admin.withToken("mrg_nobody_" + "s".repeat(43)))) {
            for (int i = 0; i < HttpLimits.FAILED_AUTHENTICATIONS; i++) {
                assertThat(socket.request("GET " + MAPS).code()).isEqualTo(401);
            }
            assertThat(socket.drain()).isZero();
        }
    }

    @Test
    void clientsWithoutToken_afterAuthenticationTimeout_areDisconnected(@TempDir Path own) throws IOException {
        // Long enough for a TLS handshake and a request on a busy machine.
        Map<String, String> flags = Map.of("api.authenticationTimeout", "5s", "api.idleTimeout", "1h");
        try (ApiUnderTest impatient = ApiUnderTest.start(own, flags);
                Http1Socket known = Http1Socket.open(impatient)) {
            assertThat(known.request("GET " + MAPS).code()).isEqualTo(200);
            Http2Socket silent = hold(Http2Socket.handshake(impatient));
            Http2Socket withSettings = hold(Http2Socket.open(impatient, new byte[0]));
            Http1Socket slow = hold(Http1Socket.open(impatient));
            slow.send("GET " + MAPS + " HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Sl");
            Http1Socket withBody = hold(Http1Socket.open(impatient.withToken("wrong")));
            withBody.head("POST " + MAPS, "Content-Type: application/json", "Content-Length: 100");
            assertThat(withBody.readResponse().code()).isEqualTo(401);

            silent.awaitEnd();
            withSettings.awaitEnd();
            slow.drain();
            withBody.drain();
            assertThat(known.request("GET " + MAPS).code()).isEqualTo(200);
        }
    }

    @Test
    void connectionOverIpv6_withToken_isNotEvicted(@TempDir Path own) throws IOException {
        assumeTrue(hasIpv6(), "Needs an IPv6 loopback address");
        Map<String, String> flags = Map.of("listen", "[::1]:0", "api.maxConnections", "16");
        try (ApiUnderTest api = ApiUnderTest.start(own, flags);
                Http1Socket known = Http1Socket.open(api, "::1")) {
            assertThat(known.request("GET " + MAPS).code()).isEqualTo(200);
            for (int i = 0; i < 16; i++) {
                hold(new Socket(IPV6_LOOPBACK, api.port()));
            }
            assertThat(known.request("GET " + MAPS).code()).isEqualTo(200);
        }
    }

    private static InetAddress ipv6Loopback() {
        byte[] address = new byte[16];
        address[15] = 1;
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, IPV6_LOOPBACK)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private <T extends Closeable> T hold(T closeable) {
        held.add(closeable);
        return closeable;
    }

    /** Starts a watch that stays open, and returns its status code. */
    private int watch(ApiUnderTest user) {
        TestWatch watch = user.watch(MAPS + "?resourceVersion=" + admin.revision());
        hold(watch::close);
        return watch.code();
    }

    private static ApiUnderTest fresh(ApiUnderTest user) {
        return user.withVersion(HttpClient.Version.HTTP_1_1);
    }

    private static String metric(String name) {
        return admin.get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElse("none");
    }

    private static void assertTooMany(Reply reply, String message) {
        assertThat(reply.code()).as(reply.text()).isEqualTo(429);
        assertThat(reply.reason()).isEqualTo("TooManyRequests");
        assertThat(reply.header("retry-after")).matches("[1-9]\\d*");
        assertThat(reply.message()).contains(message);
    }
}
