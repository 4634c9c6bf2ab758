package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.http.HttpLimits;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.testing.ConditionPoller;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests unusual, malformed and hostile requests: none reaches another object, and none causes a server error. */
@Timeout(180)
class LimitsProtocolTest {
    private static final String MAPS = DEFAULT + "/configmaps";
    private static final int DISCONNECTED = -1;

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        api = ApiUnderTest.start(data);
        assertThat(api.post(MAPS, configMap("a")).code()).isEqualTo(201);
        api.post(DEFAULT + "/secrets", "{'metadata':{'name':'a'},'stringData':{'k':'v'}}");
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/namespaces/default/configmaps/../secrets/a",
                "/api/v1/namespaces/default/configmaps/%2e%2e/secrets/a",
                "/api/v1/namespaces/default/configmaps/..%2fsecrets%2fa",
                "/api/v1/namespaces/default/configmaps/..%2Fsecrets",
                "/api/v1/namespaces/default//secrets/a",
                "/api/v1//namespaces/default/secrets/a",
                "//api/v1/namespaces/default/secrets/a",
                "/api/v1/namespaces//secrets/a",
                "/api/v1/namespaces/default%2fsecrets/a",
                "/api/v1/namespaces/default/secrets%2fa",
                "/api/v1/namespaces/default/configmaps/a%00",
                "/api/v1/namespaces/default/configmaps/%00a",
                "/api/v1/namespaces/default%00/configmaps/a",
                "/api/v1/namespaces/./configmaps/a",
                "/api/v1/namespaces/../configmaps/a",
                "/api/v1/namespaces/default/configmaps/.",
                "/api/v1/namespaces/default/configmaps/..",
                "/api/v1/namespaces/default/configmaps/%",
                "/api/v1/namespaces/default/configmaps/%zz",
                "/api/v1/namespaces/default/configmaps/%c0%af",
                "/api/v1/namespaces/default/configmaps/%ff%fe",
                "/api/v1/namespaces/default/configmaps/a%20",
                "/api/v1/namespaces/default/configmaps/A",
                "/api/v1/namespaces/default/configmaps/a+a",
                "/api/v1/namespaces/default/configmaps/a;x=1",
                "/api/v1/namespaces/default/configmaps/a/b",
                "/api/v1/namespaces/default/configmaps/a/status",
                "/api/v1/namespaces/default/configmaps/a/status/more",
                "/api/v1/namespaces/default/nothings/a",
                "/api/v1/namespaces/kube-system/configmaps/a",
                "/api/v1/configmaps/a",
                "/api/v2/namespaces/default/configmaps/a",
                "/apis/v1/namespaces/default/configmaps/a",
                "/apis/storage.k8s.io/v1/namespaces/default/storageclasses/nfs",
                "/apis//v1/storageclasses",
                "/api/v1/namespaces/default/nodes/testhost",
                "/api/v1/watch/namespaces/default/configmaps/a",
                "/apiary",
                "/api/",
                "/apis/x/y/z/a/b/c/d/e/f/g"
            })
    void path_malformed_reachesNoOtherObject(String path) throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            for (String method : new String[] {"GET", "DELETE"}) {
                Http1Socket.Http1Response answer = socket.request(method + " " + path, "Connection: keep-alive");
                if (path.equals("/api/") && method.equals("GET")) {
                    assertThat(answer.code()).isIn(200, 404);
                } else {
                    assertThat(answer.code()).as(method + answer.body()).isIn(400, 404, 405);
                }
            }
        }
        assertThat(api.get(DEFAULT + "/secrets/a").code()).isEqualTo(200);
        assertThat(api.get(MAPS + "/a").code()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(ints = {254, 1000, 10_000})
    void name_tooLong_isNotFoundOrInvalid(int length) {
        String name = "a".repeat(length);
        assertThat(api.get(MAPS + "/" + name).code()).isEqualTo(404);
        assertThat(api.get("/api/v1/namespaces/" + name + "/configmaps/a").code())
                .isEqualTo(404);
        assertThat(api.delete(MAPS + "/" + name).code()).isEqualTo(404);
        assertThat(api.post(MAPS, configMap(name)).code()).isEqualTo(422);
        assertThat(api.post("/api/v1/namespaces/" + name + "/configmaps", configMap("a"))
                        .code())
                .isIn(400, 404, 422);
        assertThat(api.get("/api/v1/namespaces/" + name + "/configmaps").code()).isIn(200, 400, 404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a b", "a%b", "..", "é", "A", "a_b", "-a"})
    void name_withUnsafeCharacters_isInvalid(String name) {
        Reply answer = api.post(MAPS, configMap(name));
        assertThat(answer.code()).as(answer.text()).isEqualTo(422);
        Reply other = api.post("/api/v1/namespaces", ApiUnderTest.namespace(name));
        assertThat(other.code()).as(other.text()).isEqualTo(422);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "&&&|200",
                "=|200",
                "limit|200",
                "limit=|200",
                "limit=1&limit=2|200",
                "%|400",
                "%zz=1|400",
                "a=%00|200",
                "limit=1%00|400",
                "pretty=true|200",
                "labelSelector=%00|400",
                "watch=false|200",
                "watch=0|200",
                "unknown=1|200",
                "timeoutSeconds=abc|200",
                "limit=0x10|400"
            })
    void query_unusual_isAcceptedOrRejected(String query, int code) throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            Http1Socket.Http1Response answer = socket.request("GET " + MAPS + "?" + query);
            assertThat(answer.code()).as(answer.body()).isEqualTo(code);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRACE", "CONNECT", "PROPFIND", "FOO", "OPTIONS", "HEAD"})
    void method_unsupported_isRejected(String method) throws IOException {
        for (String path : new String[] {MAPS, MAPS + "/a", "/api", "/apis/storage.k8s.io/v1", "/version"}) {
            try (Http1Socket socket = Http1Socket.open(api)) {
                Http1Socket.Http1Response answer = socket.request(method + " " + path);
                assertThat(answer.code()).as(path + answer.body()).isIn(400, 405);
            }
        }
        assertThat(api.get(MAPS + "/a").code()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /api/v1/namespaces/default/configmaps",
        "PATCH, /api/v1/namespaces/default/configmaps",
        "POST, /api/v1/configmaps",
        "DELETE, /api/v1/nodes/testhost/status",
        "POST, /api/v1/nodes/testhost/status",
        "GET, /api/v1/namespaces/default/pods/a/eviction",
        "GET, /api/v1/namespaces/default/serviceaccounts/default/token",
        "PUT, /api/v1/namespaces/default/serviceaccounts/default/token",
        "PATCH, /api/v1/namespaces/default/finalize",
        "GET, /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "POST, /api",
        "DELETE, /apis/storage.k8s.io/v1",
        "PUT, /openapi/v2",
        "POST, /version",
        "DELETE, /metrics"
    })
    void method_notSupportedByPath_isNotAllowed(String method, String path) {
        Reply answer = api.send(method, path, "{}", "Content-Type", "application/json");

        assertThat(answer.code()).as(answer.text()).isEqualTo(405);
        assertThat(answer.reason()).isEqualTo("MethodNotAllowed");
    }

    @Test
    void namespaceFinalize_get_isNotAllowed() {
        assertThat(api.get("/api/v1/namespaces/default/finalize").code()).isEqualTo(405);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, text/plain, 415",
        "POST, application/xml, 415",
        "POST, application/x-www-form-urlencoded, 415",
        "POST, multipart/form-data, 415",
        "POST, application/merge-patch+json, 415",
        "POST, application/vnd.kubernetes.protobuf, 400",
        "PUT, text/plain, 415",
        "PATCH, application/json, 415",
        "PATCH, application/yaml, 415",
        "PATCH, text/plain, 415",
        "DELETE, text/plain, 415"
    })
    void contentType_unsupported_isRejected(String method, String type, int code) {
        String path = method.equals("POST") ? MAPS : MAPS + "/a";
        Reply answer = api.send(method, path, configMap("a"), "Content-Type", type);

        assertThat(answer.code()).as(answer.text()).isEqualTo(code);
        assertThat(answer.reason()).isEqualTo(code == 415 ? "UnsupportedMediaType" : "BadRequest");
        assertThat(api.get(MAPS + "/a").code()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/html",
                "application/xml",
                "application/vnd.kubernetes.protobuf",
                "application/json;as=Nothing;v=v1;g=meta.k8s.io"
            })
    void acceptHeader_unsupported_isNotAcceptable(String accept) {
        for (String path : new String[] {MAPS, MAPS + "/a", MAPS + "?watch=true&timeoutSeconds=3"}) {
            Reply answer = api.get(path, "Accept", accept);
            assertThat(answer.code()).as(answer.text()).isEqualTo(406);
            assertThat(answer.reason()).isEqualTo("NotAcceptable");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[]",
                "null",
                "1",
                "'x'",
                "{}{}",
                "{'metadata':1}",
                "{'metadata':{'name':1}}",
                "\u0000",
                "{'data':{'a':1}}",
                "{'kind':'Secret','apiVersion':'v1','metadata':{'name':'k'}}",
                "{'apiVersion':'v2','kind':'ConfigMap','metadata':{'name':'k'}}"
            })
    void body_notAnObject_isBadRequest(String body) {
        Reply answer = api.post(MAPS, body);

        assertThat(answer.code()).as(answer.text()).isEqualTo(400);
        assertThat(answer.body().path("kind").asText()).isEqualTo("Status");
    }

    @Test
    void connection_afterRequestErrors_staysUsable() throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            assertThat(socket.request("GET " + MAPS + "/nothing").code()).isEqualTo(404);
            assertThat(socket.request("GET /nothing").code()).isEqualTo(404);
            assertThat(socket.request("DELETE /api").code()).isEqualTo(405);
            assertThat(socket.request("GET " + MAPS, "Accept: text/html").code())
                    .isEqualTo(406);
            assertThat(socket.request("GET " + MAPS + "?limit=x").code()).isEqualTo(400);
            socket.head("POST " + MAPS, "Content-Type: application/json", "Content-Length: 2");
            socket.send("{}");
            assertThat(socket.readResponse().code()).isEqualTo(422);
            socket.head("POST " + MAPS, "Content-Type: application/json", "Content-Length: 1");
            socket.send("{");
            assertThat(socket.readResponse().code()).isEqualTo(400);
            assertThat(socket.request("GET " + MAPS + "/a").code()).isEqualTo(200);
        }
    }

    @Test
    void watch_overWebSocket_isUpgraded() throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            socket.head(
                    "GET " + MAPS + "?watch=true",
                    "Connection: Upgrade",
                    "Upgrade: websocket",
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
            assertThat(socket.line()).startsWith("HTTP/1.1 101");
        }
    }

    @Test
    void requests_pipelined_areAnsweredInOrder() throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            socket.head("GET " + MAPS + "/a");
            socket.head("GET " + MAPS + "/nothing");
            socket.head("GET " + MAPS + "?at=1");
            socket.head("GET " + MAPS + "/a");
            assertThat(socket.readResponse().code()).isEqualTo(200);
            assertThat(socket.readResponse().code()).isEqualTo(404);
            assertThat(socket.readResponse().code()).isEqualTo(200);
            assertThat(socket.readResponse().code()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void largeList_clientAcceptsGzip_isCompressed(HttpClient.Version version) throws Exception {
        ApiUnderTest client = api.withVersion(version);
        String namespace = "big" + version.name().charAt(version.name().length() - 1);
        assertThat(client.post("/api/v1/namespaces", ApiUnderTest.namespace(namespace))
                        .code())
                .isEqualTo(201);
        String path = "/api/v1/namespaces/" + namespace + "/configmaps";
        for (int i = 0; i < 30; i++) {
            assertThat(client.post(path, configMap("m" + i, "a", "x".repeat(20_000)))
                            .code())
                    .isEqualTo(201);
        }
        ConditionPoller.until(() -> client.get(path + "/kube-root-ca.crt").code() == 200);
        HttpResponse<byte[]> compressed = client.client()
                .send(
                        client.request("GET", path, "", "Accept-Encoding", "gzip"),
                        HttpResponse.BodyHandlers.ofByteArray());
        assertThat(compressed.headers().firstValue("content-encoding")).contains("gzip");
        assertThat(compressed.body().length).isLessThan(100_000);
        JsonNode list = ApiUnderTest.JSON.readTree(new GZIPInputStream(new ByteArrayInputStream(compressed.body())));
        assertThat(list.path("items")).hasSize(31);

        Reply plain = client.get(path);
        assertThat(plain.header("content-encoding")).isEmpty();
        assertThat(plain.body()).isEqualTo(list);
        assertThat(client.get(path + "?limit=1", "Accept-Encoding", "gzip").header("content-encoding"))
                .isEmpty();
    }

    @Test
    void largeBodies_beyondInFlightLimit_areRejectedWhileSmallOnesAreAccepted() throws IOException {
        String allButLastByte = " ".repeat((int) HttpLimits.BODY_BYTES - 1);
        int fit = (int) (HttpLimits.IN_FLIGHT_BODY_BYTES / (HttpLimits.BODY_BYTES - HttpLimits.SMALL_BODY_BYTES));
        List<Http1Socket> sockets = new ArrayList<>();
        List<Integer> codes = new ArrayList<>();
        try {
            for (int i = 0; i < fit + 5; i++) {
                Http1Socket socket = Http1Socket.open(api);
                sockets.add(socket);
                socket.head(
                        "POST " + MAPS, "Content-Type: application/json", "Content-Length: " + HttpLimits.BODY_BYTES);
                sendIfOpen(socket, allButLastByte);
            }
            assertThat(api.post(MAPS, configMap("small")).code()).isEqualTo(201);
            for (Http1Socket socket : sockets) {
                sendIfOpen(socket, " ");
                codes.add(codeOf(socket));
            }
        } finally {
            for (Http1Socket socket : sockets) {
                socket.close();
            }
        }
        assertThat(codes).contains(429).isSubsetOf(400, 429, DISCONNECTED);
        assertThat(codes.stream().filter(code -> code == 400).count()).isBetween(1L, (long) fit);
        String body = configMap("large");
        assertThat(api.post(MAPS, body + " ".repeat((int) HttpLimits.BODY_BYTES - body.length()))
                        .code())
                .isEqualTo(201);
    }

    /** Sends text; the server may have refused the request and closed the connection. */
    private static void sendIfOpen(Http1Socket socket, String text) {
        try {
            socket.send(text);
        } catch (IOException e) {
            // The response has the reason, if it can still be read.
        }
    }

    private static int codeOf(Http1Socket socket) {
        try {
            return socket.readResponse().code();
        } catch (IOException e) {
            return DISCONNECTED;
        }
    }
}
