package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.tls.Pki;
import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiClientTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private FakeApiServer server;
    private ApiClient client;

    @BeforeEach
    void start() throws IOException, GeneralSecurityException {
        server = FakeApiServer.start(directory.resolve("pki"));
        client = new ApiClient(ServerAccess.read(server.kubeconfig(directory.resolve("kubeconfig"))), TIMEOUT);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static ObjectNode object(String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.putObject("metadata").put("name", name);
        return object;
    }

    private static void assertFails(Runnable request, ExitCode code, String message) {
        assertThatThrownBy(request::run).isInstanceOfSatisfying(MooringException.class, failure -> {
            assertThat(failure.exitCode()).isEqualTo(code);
            assertThat(failure).hasMessageContaining(message);
            assertThat(failure.getMessage()).doesNotContain(FakeApiServer.TOKEN);
        });
    }

    @Test
    void request_anyMethod_carriesTheBearerToken() {
        for (int i = 0; i < 5; i++) {
            server.enqueue(200, "{'ok':" + i + "}");
        }
        assertThat(client.get("/api/v1/pods?watch=0").path("ok").asInt(-1)).isZero();
        client.create("/a", object("x"));
        client.replace("/a/x", object("x"));
        client.patch("/a/x", object("x"));
        client.delete("/a/x");
        assertThat(server.requests())
                .extracting(request ->
                        String.join(" ", request.method(), request.path(), request.contentType(), request.body()))
                .containsExactly(
                        "GET /api/v1/pods?watch=0 null ",
                        "POST /a application/json {\"metadata\":{\"name\":\"x\"}}",
                        "PUT /a/x application/json {\"metadata\":{\"name\":\"x\"}}",
                        "PATCH /a/x application/merge-patch+json {\"metadata\":{\"name\":\"x\"}}",
                        "DELETE /a/x null ");
        assertThat(server.requests())
                .allMatch(request -> request.authorization().equals("Bearer " + FakeApiServer.TOKEN));
    }

    @Test
    void list_severalPages_readsAllOfThem() {
        server.enqueue(200, "{'metadata':{'continue':'a/b=&c'},'items':[{'n':1},{'n':2}]}")
                .enqueue(200, "{'metadata':{},'items':[{'n':3}]}");
        assertThat(client.list("/a?x=y"))
                .extracting(item -> item.path("n").asInt())
                .containsExactly(1, 2, 3);
        assertThat(server.requests())
                .extracting(FakeApiServer.RecordedRequest::path)
                .containsExactly("/a?x=y&limit=500", "/a?x=y&limit=500&continue=a%2Fb%3D%26c");
    }

    @ParameterizedTest
    @CsvSource({
        "400, BadRequest,      FAILED",
        "403, Forbidden,       FAILED",
        "404, NotFound,        NOT_FOUND",
        "409, AlreadyExists,   CONFLICT",
        "409, Conflict,        CONFLICT",
        "410, Expired,         NOT_FOUND",
        "422, Invalid,         FAILED",
        "429, TooManyRequests, FAILED",
        "500, InternalError,   FAILED",
        "504, Timeout,         TIMEOUT"
    })
    void request_errorStatus_failsWithServerMessageAndExitCode(int code, String reason, ExitCode expected) {
        server.enqueue(code, "{'kind':'Status','reason':'" + reason + "','message':'it is so','code':" + code + "}");
        assertFails(() -> client.get("/a"), expected, "Error from server (" + reason + "): it is so");
    }

    @Test
    void request_unauthorized_namesTheKubeconfigOfTheToken() {
        server.enqueue(401, "{'reason':'Unauthorized','message':'Unauthorized'}");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "next: the token in " + directory.resolve("kubeconfig"));
    }

    @Test
    void request_responseNotJson_failsWithHttpStatusOrHint() {
        server.enqueue(502, "<html>").enqueue(200, "<html>").enqueue(200, "");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "Error from server: HTTP status 502");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "check that a Mooring server listens there");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "check that a Mooring server listens there");
    }

    @Test
    void request_redirected_doesNotFollow() {
        server.enqueue(307, "{}");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "HTTP status 307");
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void request_serverNotRunning_namesHowToStartIt() {
        server.close();
        assertFails(
                () -> client.get("/a"),
                ExitCode.FAILED,
                "Cannot reach the server at " + server.url() + ": nothing accepts connections there; next: make run");
    }

    @Test
    void request_serverDoesNotRespond_timesOut() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path file = directory.resolve("silent");
            Files.writeString(
                    file,
                    FakeApiServer.kubeconfig("https://127.0.0.1:" + silent.getLocalPort(), server.authorityPem(), "t"));
            ApiClient shortTimeoutClient = new ApiClient(ServerAccess.read(file), Duration.ofMillis(50));
            assertFails(() -> shortTimeoutClient.get("/a"), ExitCode.TIMEOUT, "no response within");
        }
    }

    @Test
    void request_certificateOfAnotherAuthority_sendsNothing() throws IOException {
        String otherAuthority = new Pki(directory.resolve("other-pki"), Clock.systemUTC(), new SecureRandom())
                .certificateFor(List.of("127.0.0.1"))
                .authorityPem();
        Path file = directory.resolve("other");
        Files.writeString(file, FakeApiServer.kubeconfig(server.url(), otherAuthority, "t"));
        ApiClient other = new ApiClient(ServerAccess.read(file), TIMEOUT);
        assertFails(() -> other.get("/a"), ExitCode.FAILED, "use the kubeconfig that this server wrote");
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void toString_omitsTheToken() {
        assertThat(client.toString()).contains(server.url()).doesNotContain(FakeApiServer.TOKEN);
    }

    @Test
    void list_itemsNull_isEmpty() {
        server.enqueue(200, "{'items':null}");
        List<? extends JsonNode> items = client.list("/a");
        assertThat(items).isEmpty();
    }
}
