package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests each limit on requests of a client, over HTTPS. */
@Timeout(180)
class LimitsTest {
    private static final String MAPS = DEFAULT + "/configmaps";
    private static final int BODY = 3 * 1024 * 1024;

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        api = ApiUnderTest.start(
                data,
                Map.of(
                        "api.maxWatches", "20",
                        "api.bodyTimeout", "5s",
                        "api.requestBurst", "5",
                        "api.requestsPerSecond", "1"));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @Test
    void body_contentLengthTooLarge_isRejectedUnread() throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            Http1Socket.Http1Response answer = socket.request("POST " + MAPS, "Content-Length: " + (BODY + 1));
            assertThat(answer.code()).isEqualTo(413);
            assertThat(answer.body())
                    .contains("\"reason\":\"RequestEntityTooLarge\"")
                    .contains("limit of " + BODY + " bytes");
            assertThat(answer.headers()).containsEntry("connection", "close");
            assertThat(socket.drain()).isZero();
        }
    }

    @Test
    void body_chunksTooLarge_isRejected() throws IOException {
        String chunk = "100000\r\n" + " ".repeat(0x100000) + "\r\n";
        try (Http1Socket socket = Http1Socket.open(api)) {
            socket.head("POST " + MAPS, "Transfer-Encoding: chunked", "Content-Type: application/json");
            for (int i = 0; i < 3; i++) {
                socket.send(chunk);
            }
            socket.send("1\r\n \r\n");
            Http1Socket.Http1Response answer = socket.readResponse();
            assertThat(answer.code()).isEqualTo(413);
            assertThat(answer.body()).contains("\"reason\":\"RequestEntityTooLarge\"");
        }
    }

    @Test
    void body_atSizeLimit_isAccepted() {
        String body = configMap("fits");
        Reply fits = api.post(MAPS, body + " ".repeat(BODY - body.length()));
        assertThat(fits.code()).as(fits.text()).isEqualTo(201);
        Reply tooLarge = api.post(MAPS, body + " ".repeat(BODY + 1 - body.length()));
        assertThat(tooLarge.code()).isEqualTo(413);
    }

    @Test
    void requestHead_tooLarge_isRejected() throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            assertThat(socket.request("GET " + MAPS, "X-Long: " + "x".repeat(40_000))
                            .code())
                    .isEqualTo(431);
        }
        try (Http1Socket socket = Http1Socket.open(api)) {
            String[] many = new String[3000];
            for (int i = 0; i < many.length; i++) {
                many[i] = "X-" + i + ": 12345678";
            }
            assertThat(socket.request("GET " + MAPS, many).code()).isEqualTo(431);
        }
        try (Http1Socket socket = Http1Socket.open(api)) {
            assertThat(socket.request("GET " + MAPS + "?labelSelector=" + "x".repeat(1_100_000))
                            .code())
                    .isEqualTo(414);
        }
        try {
            assertThat(api.get(MAPS, "X-Long", "x".repeat(60_000)).code()).isIn(400, 431);
        } catch (UncheckedIOException e) {
            assertThat(e).isNotNull(); // HTTP/2 may also end the stream
        }
        assertThat(api.get(MAPS).code()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, application/json, 1",
        "POST, application/yaml, 1",
        "PATCH, application/merge-patch+json, 0",
        "PATCH, application/strategic-merge-patch+json, 0",
        "PATCH, application/apply-patch+yaml, 1",
        "PUT, application/json, 1",
        "DELETE, application/json, 0"
    })
    void body_nestedTooDeep_isRejected(String method, String type, int ownName) {
        String name = "deep-" + (method + type).replaceAll("[^a-zA-Z]", "-").toLowerCase(java.util.Locale.ROOT);
        String path = method.equals("POST") ? MAPS : MAPS + "/" + name;
        if (!method.equals("POST")) {
            assertThat(api.post(MAPS, configMap(name)).code()).isEqualTo(201);
        }
        String start =
                "{" + (ownName == 1 ? "'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'" + name + "'}," : "");
        for (int depth : new int[] {65, 5_000, 500_000}) {
            String body = start + "'deep':" + "[".repeat(depth) + "]".repeat(depth) + "}";
            Reply answer = api.send(method, path + "?fieldManager=me", body, "Content-Type", type);
            assertThat(answer.code()).as(depth + " deep: " + answer.text()).isEqualTo(400);
            assertThat(answer.message()).contains("64");
        }
        String fine = start + "'deep':" + "[".repeat(60) + "]".repeat(60) + "}";
        Reply answer = api.send(method, path + "?fieldManager=me", fine, "Content-Type", type);
        assertThat(answer.code()).as(answer.text()).isIn(200, 201);
    }

    @Test
    void yamlBody_withExpandingAliases_isRejected() {
        StringBuilder bomb = new StringBuilder(
                "kind: ConfigMap\napiVersion: v1\nmetadata: {name: bomb}\na: &a [x,x,x,x,x,x,x,x,x]\n");
        for (char c = 'b'; c <= 'k'; c++) {
            String before = "*" + (char) (c - 1);
            bomb.append(c)
                    .append(": &")
                    .append(c)
                    .append(" [")
                    .append((before + ",").repeat(9))
                    .append(before)
                    .append("]\n");
        }
        Reply answer = api.send("POST", MAPS, bomb.toString(), "Content-Type", "application/yaml");
        assertThat(answer.code()).as(answer.text()).isEqualTo(400);
    }

    @Test
    void jsonPatch_objectGrowsBeyondLimit_isRejected() {
        assertThat(api.post(MAPS, configMap("grows")).code()).isEqualTo(201);
        StringBuilder patch = new StringBuilder("[{'op':'add','path':'/data/x','value':'" + "x".repeat(100_000) + "'}");
        for (int i = 0; i < 11_000; i++) {
            patch.append(",{'op':'copy','from':'/data','path':'/metadata/annotations'}");
        }
        Reply answer = api.send("PATCH", MAPS + "/grows", patch + "]", "Content-Type", "application/json-patch+json");
        assertThat(answer.code()).as(answer.text()).isIn(400, 413, 422);
    }

    @Test
    void watch_beyondMaxWatches_isRejectedWithRetryAfter() {
        List<TestWatch> open = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                TestWatch watch = api.watch(MAPS + "?resourceVersion=" + api.revision());
                open.add(watch);
                assertThat(watch.code()).isEqualTo(200);
            }
            Reply refused = api.get(MAPS + "?watch=true");
            assertThat(refused.code()).isEqualTo(429);
            assertThat(refused.reason()).isEqualTo("TooManyRequests");
            assertThat(refused.header("retry-after")).matches("[1-9]\\d*");
            assertThat(refused.body().at("/details/retryAfterSeconds").asInt()).isPositive();
            assertThat(refused.message()).contains("20 open watches (api.maxWatches)");
            assertThat(api.get(MAPS).code()).isEqualTo(200);
        } finally {
            open.forEach(TestWatch::close);
        }
        int code = 429;
        while (code == 429) { // until the server has noticed that they are closed
            try (TestWatch watch = api.watch(MAPS)) {
                code = watch.code();
            }
        }
        assertThat(code).isEqualTo(200);
    }

    @Test
    void user_beyondRequestRate_isRejectedWithRetryAfter() {
        ApiUnderTest viewer = api.withToken(api.createToken("hasty", "'role':'view'"));
        ApiUnderTest other = api.withToken(api.createToken("calm", "'role':'view'"));
        Reply answer = viewer.get(MAPS);
        for (int i = 0; i < 20 && answer.code() == 200; i++) {
            answer = viewer.get(MAPS);
        }
        assertThat(answer.code()).isEqualTo(429);
        assertThat(answer.reason()).isEqualTo("TooManyRequests");
        assertThat(answer.header("retry-after")).matches("[1-9]\\d*");
        assertThat(answer.body().at("/details/retryAfterSeconds").asInt()).isPositive();
        int metrics = viewer.get("/metrics").code();
        for (int i = 0; i < 20 && metrics != 429; i++) { // one request each second is allowed
            metrics = viewer.get("/metrics").code();
        }
        assertThat(metrics).isEqualTo(429);

        assertThat(other.get(MAPS).code()).isEqualTo(200);
        for (int i = 0; i < 50; i++) {
            assertThat(api.get(MAPS + "?limit=1").code()).isEqualTo(200);
        }
    }

    @Test
    void body_notSentInTime_isRejected() throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            socket.head("POST " + MAPS, "Content-Type: application/json", "Content-Length: 100");
            socket.send("{\"kind\":");
            Http1Socket.Http1Response answer = socket.readResponse();
            assertThat(answer.code()).isEqualTo(408);
            assertThat(answer.body()).contains("within 5 seconds");
            assertThat(socket.drain()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "evil.example:443", "127.0.0.1.evil.example", "localhost.", "10.0.0.1", ""})
    void hostHeader_ofForeignHost_isRejected(String host) throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            socket.send("GET " + MAPS + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + api.token()
                    + "\r\n\r\n");
            assertThat(socket.readResponse().code()).isIn(400, 403);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "https://evil.example, 403",
        "null, 403",
        "https://127.0.0.1.evil.example, 403",
        "file://, 403",
        "https://localhost, 200",
        "https://127.0.0.1:1234, 200"
    })
    void originHeader_ofForeignPage_isRejected(String origin, int code) {
        assertThat(api.get(MAPS, "Origin", origin).code()).isEqualTo(code);
        assertThat(api.get("/version", "Origin", origin).code()).isEqualTo(code);
        assertThat(api.get("/livez", "Origin", origin).code()).isEqualTo(code);
    }
}
