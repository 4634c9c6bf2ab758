package dev.mooring.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.tls.Pki;
import dev.mooring.cli.ExitCode;
import dev.mooring.cli.MooringException;
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
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path directory;

    private RecordingServer server;
    private ApiClient client;

    @BeforeEach
    void start() throws IOException, GeneralSecurityException {
        server = RecordingServer.start(directory.resolve("pki"));
        client = new ApiClient(ServerAccess.read(server.kubeconfig(directory.resolve("kubeconfig"))), PATIENCE);
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
            assertThat(failure.getMessage()).doesNotContain(RecordingServer.TOKEN);
        });
    }

    @Test
    void sendsEachRequestAsTheBearerOfTheToken() {
        for (int i = 0; i < 5; i++) {
            server.answers(200, "{'ok':" + i + "}");
        }
        assertThat(client.get("/api/v1/pods?watch=0").path("ok").asInt(-1)).isZero();
        client.create("/a", object("x"));
        client.replace("/a/x", object("x"));
        client.patch("/a/x", object("x"));
        client.delete("/a/x");
        assertThat(server.asked())
                .extracting(
                        asked -> asked.method() + " " + asked.path() + " " + asked.contentType() + " " + asked.body())
                .containsExactly(
                        "GET /api/v1/pods?watch=0 null ",
                        "POST /a application/json {\"metadata\":{\"name\":\"x\"}}",
                        "PUT /a/x application/json {\"metadata\":{\"name\":\"x\"}}",
                        "PATCH /a/x application/merge-patch+json {\"metadata\":{\"name\":\"x\"}}",
                        "DELETE /a/x null ");
        assertThat(server.asked()).allMatch(asked -> asked.authorization().equals("Bearer " + RecordingServer.TOKEN));
    }

    @Test
    void readsAListPageByPage() {
        server.answers(200, "{'metadata':{'continue':'a/b=&c'},'items':[{'n':1},{'n':2}]}")
                .answers(200, "{'metadata':{},'items':[{'n':3}]}");
        assertThat(client.list("/a?x=y"))
                .extracting(item -> item.path("n").asInt())
                .containsExactly(1, 2, 3);
        assertThat(server.asked())
                .extracting(RecordingServer.Asked::path)
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
    void turnsAStatusIntoAMessageAndAnExitCode(int code, String reason, ExitCode expected) {
        server.answers(code, "{'kind':'Status','reason':'" + reason + "','message':'it is so','code':" + code + "}");
        assertFails(() -> client.get("/a"), expected, "Error from server (" + reason + "): it is so");
    }

    @Test
    void saysWhatToDoAboutATokenThatIsNoLongerGood() {
        server.answers(401, "{'reason':'Unauthorized','message':'Unauthorized'}");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "next: the token in " + directory.resolve("kubeconfig"));
    }

    @Test
    void reportsAnErrorThatIsNoStatus() {
        server.answers(502, "<html>").answers(200, "<html>").answers(200, "");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "Error from server: HTTP status 502");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "check that a Mooring server is there");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "check that a Mooring server is there");
    }

    @Test
    void carriesTheTokenNowhereElse() {
        server.answers(307, "{}");
        assertFails(() -> client.get("/a"), ExitCode.FAILED, "HTTP status 307");
        assertThat(server.asked()).hasSize(1);
    }

    @Test
    void saysHowToStartAServerThatIsNotThere() {
        server.close();
        assertFails(
                () -> client.get("/a"),
                ExitCode.FAILED,
                "Expected a server at " + server.url() + ", but nothing accepts connections there; next: make run");
    }

    @Test
    void givesUpOnAServerThatDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path file = directory.resolve("silent");
            Files.writeString(
                    file,
                    RecordingServer.kubeconfig(
                            "https://127.0.0.1:" + silent.getLocalPort(), server.authorityPem(), "t"));
            ApiClient impatient = new ApiClient(ServerAccess.read(file), Duration.ofMillis(50));
            assertFails(() -> impatient.get("/a"), ExitCode.TIMEOUT, "it did not answer within");
        }
    }

    @Test
    void sendsNoTokenToAServerOfAnotherAuthority() throws IOException {
        String stranger = new Pki(directory.resolve("other-pki"), Clock.systemUTC(), new SecureRandom())
                .certificateFor(List.of("127.0.0.1"))
                .authorityPem();
        Path file = directory.resolve("other");
        Files.writeString(file, RecordingServer.kubeconfig(server.url(), stranger, "t"));
        ApiClient other = new ApiClient(ServerAccess.read(file), PATIENCE);
        assertFails(() -> other.get("/a"), ExitCode.FAILED, "use the kubeconfig that this server wrote");
        assertThat(server.asked()).isEmpty();
    }

    @Test
    void doesNotShowTheTokenWhenPrinted() {
        assertThat(client.toString()).contains(server.url()).doesNotContain(RecordingServer.TOKEN);
    }

    @Test
    void leavesAListWithoutItemsEmpty() {
        server.answers(200, "{'items':null}");
        List<? extends JsonNode> items = client.list("/a");
        assertThat(items).isEmpty();
    }
}
