package dev.mooring.api.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.api.container.ContainerAccess.ContainerAccessException.AccessFailureReason;
import dev.mooring.api.container.ContainerAccess.OutputSource;
import dev.mooring.api.container.ContainerServerFixture.Reply;
import dev.mooring.api.container.FakeContainerAccess.FakeSession;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientWebSocket;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.UpgradeRejectedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code pods/log} over HTTP, with fake containers. */
@Timeout(240)
class PodLogTest {
    private static final String LOG = ContainerServerFixture.PODS + "/one/log";
    private static final int KIB = 1024;
    private static final int SECONDS = 60;

    @TempDir
    private static Path data;

    private static final FakeContainerAccess CONTAINERS = new FakeContainerAccess();
    private static ContainerServerFixture server;

    @BeforeAll
    static void start() throws Exception {
        server = new ContainerServerFixture(data, CONTAINERS, Duration.ofSeconds(60));
        server.runningPod("one", "c");
        server.runningPod("two", "a", "b");
        server.pod("unscheduled", "{'containers':[{'name':'c','image':'busybox'}]}", "");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void resetContainers() {
        CONTAINERS.reset();
    }

    /** Collects the chunks of a response, and how it ends. */
    private static BlockingQueue<String> read(HttpClientResponse response) {
        BlockingQueue<String> pieces = new LinkedBlockingQueue<>();
        // The end of a response over HTTP/2 may be a frame without content.
        response.handler(piece -> {
            if (piece.length() > 0) {
                pieces.add(piece.toString());
            }
        });
        response.endHandler(v -> pieces.add("<end>"));
        response.exceptionHandler(e -> pieces.add("<broken>"));
        response.resume();
        return pieces;
    }

    private static String next(BlockingQueue<String> pieces) throws InterruptedException {
        return pieces.poll(SECONDS, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource({"binary.k8s.io, hello", "base64.binary.k8s.io, aGVsbG8="})
    void log_overWebSocket_sendsMessagesAndCloses(String protocol, String expected) throws Exception {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        ClientWebSocket socket = server.socket();
        socket.frameHandler(frame -> messages.add(
                frame.isClose()
                        ? "close " + frame.closeStatusCode()
                        : frame.binaryData().toString()));
        CompletableFuture<Void> connected =
                CompletableFuture.runAsync(() -> server.connect(socket, LOG + "?follow=true", protocol));
        FakeSession session = CONTAINERS.nextSession();
        connected.get(SECONDS, TimeUnit.SECONDS);
        assertThat(socket.subProtocol()).isEqualTo(protocol);
        assertThat(next(messages))
                .as("empty message that confirms the connection")
                .isEmpty();
        session.writeOutput(OutputSource.STDOUT, "hello");
        assertThat(next(messages)).isEqualTo(expected);
        session.exit(0);
        assertThat(next(messages)).isEqualTo("close 1000");
        session.awaitClosed();
    }

    @Test
    void log_overWebSocketWithUnknownProtocol_isRefused() {
        UpgradeRejectedException refused = catchThrowableOfType(
                UpgradeRejectedException.class, () -> server.connect(server.socket(), LOG, "v4.channel.k8s.io"));
        assertThat(refused.getStatus()).isEqualTo(400);
        assertThat(refused.getBody().toString()).contains("use one of binary.k8s.io, base64.binary.k8s.io");
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void log_follow_streamsOutputAsItIsWritten(HttpVersion version) throws Exception {
        HttpClientResponse response = server.startRequest(version, LOG + "?follow=true&tailLines=3&timestamps=true");
        BlockingQueue<String> pieces = read(response);
        FakeSession session = CONTAINERS.nextSession();
        assertThat(session.description())
                .isEqualTo("logs LogQuery[since=Optional.empty, tail=OptionalLong[3], follow=true, timestamps=true]");
        assertThat(session.container().container()).isEqualTo("c");
        assertThat(session.container().bareId()).isEqualTo("id-c");
        assertThat(session.container().node()).isEqualTo(ContainerServerFixture.NODE);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.getHeader("Content-Type")).isEqualTo("text/plain");
        session.writeOutput(OutputSource.STDOUT, "first\n");
        assertThat(next(pieces)).isEqualTo("first\n");
        session.writeOutput(OutputSource.STDERR, "second\n");
        assertThat(next(pieces)).isEqualTo("second\n");
        session.exit(0);
        assertThat(next(pieces)).isEqualTo("<end>");
        session.awaitClosed();
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void log_clientDoesNotRead_stopsReadingFromContainer(HttpVersion version) throws Exception {
        HttpClientResponse response = server.startRequest(version, LOG + "?follow=true");
        FakeSession session = CONTAINERS.nextSession();
        byte[] piece = new byte[64 * KIB];
        CompletionStage<Void> capacity = session.writeOutput(OutputSource.STDOUT, piece);
        int sent = 1;
        boolean heldBack = !isComplete(capacity);
        // Socket buffers on both sides hold some megabytes.
        while (sent < 64 * KIB / 64 && !heldBack) {
            capacity = session.writeOutput(OutputSource.STDOUT, piece);
            sent++;
            heldBack = !isComplete(capacity);
        }
        assertThat(heldBack).as("no capacity after %s pieces", sent).isTrue();
        CompletableFuture<Long> received = new CompletableFuture<>();
        long[] bytes = {0};
        response.handler(part -> bytes[0] += part.length());
        response.endHandler(v -> received.complete(bytes[0]));
        response.resume();
        capacity.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        session.exit(0);
        assertThat(received.get(SECONDS, TimeUnit.SECONDS)).isEqualTo((long) sent * piece.length);
    }

    @Test
    void log_streamLimitReached_isRefusedUntilStreamsEnd() throws Exception {
        List<FakeSession> sessions = new ArrayList<>();
        for (int i = 0; i < ContainerServerFixture.STREAMS; i++) {
            read(server.startRequest(HttpVersion.HTTP_2, LOG + "?follow=true"));
            sessions.add(CONTAINERS.nextSession());
        }
        Reply refused = server.get(LOG + "?follow=true");
        assertThat(refused.code()).isEqualTo(429);
        assertThat(refused.headers().get("Retry-After")).isNotEmpty();
        assertThat(refused.message()).contains("log, exec and attach streams (api.maxContainerStreams)");

        for (FakeSession session : sessions) {
            session.exit(0);
            session.awaitClosed();
        }
        BlockingQueue<String> pieces = read(server.startRequest(HttpVersion.HTTP_2, LOG + "?follow=true"));
        CONTAINERS.nextSession().exit(0);
        assertThat(next(pieces)).isEqualTo("<end>");
    }

    private static boolean isComplete(CompletionStage<Void> capacity) throws Exception {
        try {
            capacity.toCompletableFuture().get(1, TimeUnit.SECONDS);
            return true;
        } catch (java.util.concurrent.TimeoutException e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void log_clientDisconnects_closesSession(HttpVersion version) throws Exception {
        HttpClientResponse response = server.startRequest(version, LOG + "?follow=true");
        FakeSession session = CONTAINERS.nextSession();
        session.writeOutput(OutputSource.STDOUT, "some");
        response.request().reset();
        session.awaitClosed();
        assertThat(session.writeOutput(OutputSource.STDOUT, "more").toCompletableFuture())
                .failsWithin(Duration.ofSeconds(SECONDS))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("client disconnected");
    }

    @Test
    void log_manySmallChunks_arriveCompletelyInOrder() throws Exception {
        HttpClientResponse response = server.startRequest(HttpVersion.HTTP_1_1, LOG);
        CompletableFuture<Buffer> body = response.body().toCompletionStage().toCompletableFuture();
        response.resume();
        FakeSession session = CONTAINERS.nextSession();
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            String line = "line " + i + "\n";
            all.append(line);
            session.writeOutput(OutputSource.STDOUT, line).toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        }
        session.exit(0);
        assertThat(body.get(SECONDS, TimeUnit.SECONDS).toString()).isEqualTo(all.toString());
    }

    @Test
    void log_limitBytes_endsAfterThatManyBytes() throws Exception {
        BlockingQueue<String> pieces =
                read(server.startRequest(HttpVersion.HTTP_1_1, LOG + "?limitBytes=7&follow=true"));
        FakeSession session = CONTAINERS.nextSession();
        session.writeOutput(OutputSource.STDOUT, "12345");
        assertThat(next(pieces)).isEqualTo("12345");
        CompletionStage<Void> last = session.writeOutput(OutputSource.STDOUT, "6789");
        assertThat(last.toCompletableFuture()).isCompletedExceptionally();
        assertThat(next(pieces)).isEqualTo("67");
        assertThat(next(pieces)).isEqualTo("<end>");
        session.awaitClosed();
    }

    @Test
    void log_streamSelected_omitsOtherStream() throws Exception {
        BlockingQueue<String> pieces = read(server.startRequest(HttpVersion.HTTP_1_1, LOG + "?stream=Stderr"));
        FakeSession session = CONTAINERS.nextSession();
        session.writeOutput(OutputSource.STDOUT, "out");
        session.writeOutput(OutputSource.STDERR, "err");
        session.exit(0);
        assertThat(next(pieces)).isEqualTo("err");
        assertThat(next(pieces)).isEqualTo("<end>");
    }

    @Test
    void log_containerFails_abortsResponse() throws Exception {
        BlockingQueue<String> pieces = read(server.startRequest(HttpVersion.HTTP_1_1, LOG + "?follow=true"));
        FakeSession session = CONTAINERS.nextSession();
        session.writeOutput(OutputSource.STDOUT, "some");
        assertThat(next(pieces)).isEqualTo("some");
        session.failWith(AccessFailureReason.UNREACHABLE, "the engine is unreachable");
        assertThat(next(pieces)).isEqualTo("<broken>");
    }

    @Test
    void log_podWithoutNode_isEmpty() {
        Reply reply = server.get(ContainerServerFixture.PODS + "/unscheduled/log");
        assertThat(reply.code()).isEqualTo(200);
        assertThat(reply.text()).isEmpty();
        assertThat(reply.headers().get("Content-Type")).isEqualTo("text/plain");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        none/log | 404 | NotFound | pods "none" not found
        two/log | 400 | BadRequest | a container name must be specified for pod two, choose one of: [a b]
        two/log?container=x | 400 | BadRequest | container x is not valid for pod two
        one/log?previous=true | 400 | BadRequest | previous terminated container "c" in pod "one" not found
        one/log?tailLines=-1 | 422 | Invalid | PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0
        one/log?tailLines=x | 400 | BadRequest | strconv.ParseInt: parsing "x": invalid syntax
        """)
    void log_invalidRequest_isRefusedLikeKubernetes(String path, int code, String reason, String message) {
        Reply reply = server.get(ContainerServerFixture.PODS + "/" + path);
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.json().path("reason").asText()).isEqualTo(reason);
        assertThat(reply.message()).isEqualTo(message);
        assertThat(CONTAINERS.hasNoSession()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        NO_RUNTIME | 501 | NotImplemented | details
        UNREACHABLE | 503 | ServiceUnavailable | details
        BUSY | 429 | TooManyRequests | details
        GONE | 400 | BadRequest | unable to retrieve container logs for docker://id-c
        REFUSED | 400 | BadRequest | details
        FAILED | 500 | InternalError | Internal error occurred: details
        """)
    void log_containerNotAccessible_returnsReason(AccessFailureReason kind, int code, String reason, String message) {
        CONTAINERS.fail(kind, "details");
        Reply reply = server.get(LOG);
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.json().path("reason").asText()).isEqualTo(reason);
        assertThat(reply.message()).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource({"POST", "PUT", "PATCH", "DELETE"})
    void log_methodOtherThanGet_isNotAllowed(String method) {
        assertThat(server.send(HttpMethod.valueOf(method), LOG, "").code()).isEqualTo(405);
    }

    @Test
    void discovery_listsPodSubresourcesLikeKubernetes() {
        String listed = server.get("/api/v1").text().replace('"', '\'');
        assertThat(listed)
                .contains("{'name':'pods/attach','singularName':'','namespaced':true,'kind':'PodAttachOptions',"
                        + "'verbs':['create','get']}")
                .contains("{'name':'pods/exec','singularName':'','namespaced':true,'kind':'PodExecOptions',"
                        + "'verbs':['create','get']}")
                .contains("{'name':'pods/log','singularName':'','namespaced':true,'kind':'Pod','verbs':['get']}");
    }
}
