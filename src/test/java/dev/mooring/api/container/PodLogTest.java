package dev.mooring.api.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.container.ContainerAccess.Source;
import dev.mooring.api.container.ContainerAccessException.Kind;
import dev.mooring.api.container.ContainerServer.Reply;
import dev.mooring.api.container.FakeContainers.Opened;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.nio.file.Path;
import java.time.Duration;
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

/** {@code pods/log} over HTTP, with containers that a test plays. */
@Timeout(60)
class PodLogTest {
    private static final String LOG = ContainerServer.PODS + "/one/log";
    private static final int KIB = 1024;

    @TempDir
    private static Path data;

    private static final FakeContainers CONTAINERS = new FakeContainers();
    private static ContainerServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new ContainerServer(data, CONTAINERS, Duration.ofSeconds(60));
        server.runningPod("one", "c");
        server.runningPod("two", "a", "b");
        server.pod("unscheduled", "{'containers':[{'name':'c','image':'busybox'}]}", "");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void workAgain() {
        CONTAINERS.workAgain();
    }

    /** What an answer brings, piece by piece. */
    private static BlockingQueue<String> read(HttpClientResponse response) {
        BlockingQueue<String> pieces = new LinkedBlockingQueue<>();
        response.handler(piece -> pieces.add(piece.toString()));
        response.endHandler(v -> pieces.add("<end>"));
        response.exceptionHandler(e -> pieces.add("<broken>"));
        response.resume();
        return pieces;
    }

    private static String next(BlockingQueue<String> pieces) throws InterruptedException {
        return pieces.poll(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void sendsWhatAContainerWritesAsItComes(HttpVersion version) throws Exception {
        HttpClientResponse response = server.begin(version, LOG + "?follow=true&tailLines=3&timestamps=true");
        BlockingQueue<String> pieces = read(response);
        Opened session = CONTAINERS.next();
        assertThat(session.what())
                .isEqualTo("logs LogWish[since=Optional.empty, tail=OptionalLong[3], follow=true, timestamps=true]");
        assertThat(session.container().container()).isEqualTo("c");
        assertThat(session.container().bareId()).isEqualTo("id-c");
        assertThat(session.container().node()).isEqualTo(ContainerServer.NODE);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.getHeader("Content-Type")).isEqualTo("text/plain");
        session.says(Source.STDOUT, "first\n");
        assertThat(next(pieces)).isEqualTo("first\n");
        session.says(Source.STDERR, "second\n");
        assertThat(next(pieces)).isEqualTo("second\n");
        session.ends(0);
        assertThat(next(pieces)).isEqualTo("<end>");
        session.awaitClosed();
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void aClientThatDoesNotReadHoldsTheContainersLogBack(HttpVersion version) throws Exception {
        HttpClientResponse response = server.begin(version, LOG + "?follow=true");
        Opened session = CONTAINERS.next();
        byte[] piece = new byte[64 * KIB];
        CompletionStage<Void> room = session.says(Source.STDOUT, piece);
        int sent = 1;
        // What sockets take, here and there, is some megabytes.
        while (sent < 64 * KIB / 64 && isComplete(room)) {
            room = session.says(Source.STDOUT, piece);
            sent++;
        }
        assertThat(room.toCompletableFuture()).as("room after %s pieces", sent).isNotDone();
        CompletableFuture<Long> received = new CompletableFuture<>();
        long[] bytes = {0};
        response.handler(part -> bytes[0] += part.length());
        response.endHandler(v -> received.complete(bytes[0]));
        response.resume();
        room.toCompletableFuture().get(20, TimeUnit.SECONDS);
        session.ends(0);
        assertThat(received.get(20, TimeUnit.SECONDS)).isEqualTo((long) sent * piece.length);
    }

    private static boolean isComplete(CompletionStage<Void> room) throws Exception {
        try {
            room.toCompletableFuture().get(1, TimeUnit.SECONDS);
            return true;
        } catch (java.util.concurrent.TimeoutException e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void aClientThatGoesEndsTheSession(HttpVersion version) throws Exception {
        HttpClientResponse response = server.begin(version, LOG + "?follow=true");
        Opened session = CONTAINERS.next();
        session.says(Source.STDOUT, "some");
        response.request().reset();
        session.awaitClosed();
        assertThat(session.says(Source.STDOUT, "more").toCompletableFuture())
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("the client has gone");
    }

    @Test
    void smallPiecesOfALargeLogAllArriveInOrder() throws Exception {
        HttpClientResponse response = server.begin(HttpVersion.HTTP_1_1, LOG);
        CompletableFuture<Buffer> body = response.body().toCompletionStage().toCompletableFuture();
        response.resume();
        Opened session = CONTAINERS.next();
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            String line = "line " + i + "\n";
            all.append(line);
            session.says(Source.STDOUT, line).toCompletableFuture().get(20, TimeUnit.SECONDS);
        }
        session.ends(0);
        assertThat(body.get(20, TimeUnit.SECONDS).toString()).isEqualTo(all.toString());
    }

    @Test
    void endsAfterAsManyBytesAsWereAskedFor() throws Exception {
        BlockingQueue<String> pieces = read(server.begin(HttpVersion.HTTP_1_1, LOG + "?limitBytes=7&follow=true"));
        Opened session = CONTAINERS.next();
        session.says(Source.STDOUT, "12345");
        assertThat(next(pieces)).isEqualTo("12345");
        CompletionStage<Void> last = session.says(Source.STDOUT, "6789");
        assertThat(last.toCompletableFuture()).isCompletedExceptionally();
        assertThat(next(pieces)).isEqualTo("67");
        assertThat(next(pieces)).isEqualTo("<end>");
        session.awaitClosed();
    }

    @Test
    void sendsOnlyTheStreamThatWasAskedFor() throws Exception {
        BlockingQueue<String> pieces = read(server.begin(HttpVersion.HTTP_1_1, LOG + "?stream=Stderr"));
        Opened session = CONTAINERS.next();
        session.says(Source.STDOUT, "out");
        session.says(Source.STDERR, "err");
        session.ends(0);
        assertThat(next(pieces)).isEqualTo("err");
        assertThat(next(pieces)).isEqualTo("<end>");
    }

    @Test
    void aLogThatBreaksDoesNotEndAsIfItWereComplete() throws Exception {
        BlockingQueue<String> pieces = read(server.begin(HttpVersion.HTTP_1_1, LOG + "?follow=true"));
        Opened session = CONTAINERS.next();
        session.says(Source.STDOUT, "some");
        assertThat(next(pieces)).isEqualTo("some");
        session.breaks(Kind.UNREACHABLE, "the engine has gone");
        assertThat(next(pieces)).isEqualTo("<broken>");
    }

    @Test
    void aPodWithoutANodeHasAnEmptyLog() {
        Reply reply = server.get(ContainerServer.PODS + "/unscheduled/log");
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
    void saysNoAsKubernetesDoes(String path, int code, String reason, String message) {
        Reply reply = server.get(ContainerServer.PODS + "/" + path);
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.json().path("reason").asText()).isEqualTo(reason);
        assertThat(reply.message()).isEqualTo(message);
        assertThat(CONTAINERS.nothingBegan()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        NO_RUNTIME | 501 | NotImplemented | words
        UNREACHABLE | 503 | ServiceUnavailable | words
        BUSY | 429 | TooManyRequests | words
        GONE | 400 | BadRequest | unable to retrieve container logs for docker://id-c
        REFUSED | 400 | BadRequest | words
        FAILED | 500 | InternalError | Internal error occurred: words
        """)
    void saysWhyAContainerCannotBeReached(Kind kind, int code, String reason, String message) {
        CONTAINERS.fail(kind, "words");
        Reply reply = server.get(LOG);
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.json().path("reason").asText()).isEqualTo(reason);
        assertThat(reply.message()).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource({"POST", "PUT", "PATCH", "DELETE"})
    void canOnlyBeRead(String method) {
        assertThat(server.send(HttpMethod.valueOf(method), LOG, "").code()).isEqualTo(405);
    }

    @Test
    void discoveryListsThemAsKubernetesDoes() {
        String listed = server.get("/api/v1").text().replace('"', '\'');
        assertThat(listed)
                .contains("{'name':'pods/attach','singularName':'','namespaced':true,'kind':'PodAttachOptions',"
                        + "'verbs':['create','get']}")
                .contains("{'name':'pods/exec','singularName':'','namespaced':true,'kind':'PodExecOptions',"
                        + "'verbs':['create','get']}")
                .contains("{'name':'pods/log','singularName':'','namespaced':true,'kind':'Pod','verbs':['get']}");
    }
}
