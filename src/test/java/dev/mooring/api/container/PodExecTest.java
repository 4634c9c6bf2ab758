package dev.mooring.api.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.api.container.ContainerAccess.ContainerAccessException.AccessFailureReason;
import dev.mooring.api.container.ContainerAccess.OutputSource;
import dev.mooring.api.container.ContainerServerFixture.Reply;
import dev.mooring.api.container.FakeContainerAccess.FakeSession;
import dev.mooring.testing.ConditionPoller;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientWebSocket;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocketFrame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
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

/** {@code pods/exec} and {@code pods/attach} over a WebSocket, with fake containers. */
@Timeout(240)
class PodExecTest {
    private static final int MANY = 30;

    /** Interval of pings; on a busy machine, an answer must arrive within it. */
    private static final Duration PING_INTERVAL = Duration.ofSeconds(2);

    private static final String V5 = "v5.channel.k8s.io";
    private static final String V4 = "v4.channel.k8s.io";
    private static final String EXEC = ContainerServerFixture.PODS + "/one/exec?command=sh&command=-c&command=a+b%20c";
    private static final String ALL = "&stdin=true&stdout=true&stderr=true";

    @TempDir
    private static Path data;

    private static final FakeContainerAccess CONTAINERS = new FakeContainerAccess();
    private static ContainerServerFixture server;

    @BeforeAll
    static void start() throws Exception {
        server = new ContainerServerFixture(data, CONTAINERS, Duration.ofMinutes(10));
        server.runningPod("one", "c");
        server.runningPod("two", "a", "b");
        server.pod(
                "terminal",
                "{'nodeName':'testhost','containers':[{'name':'t','image':'busybox','tty':true,'stdin':true}]}",
                ContainerServerFixture.running("t"));
        server.pod("unscheduled", "{'containers':[{'name':'c','image':'busybox'}]}", "");
        server.pod(
                "waiting",
                ContainerServerFixture.spec("c"),
                "{'containerStatuses':["
                        + ContainerServerFixture.containerStatus("c", "'waiting':{'reason':'ContainerCreating'}", "")
                        + "]}");
        server.pod(
                "ended",
                ContainerServerFixture.spec("c"),
                "{'containerStatuses':["
                        + ContainerServerFixture.containerStatus("c", "'terminated':{'exitCode':3}", "") + "]}");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void resetContainers() {
        CONTAINERS.reset();
    }

    /** A WebSocket client that records messages as channel:text, and the close code. */
    private static final class ExecClient {
        private final ClientWebSocket socket;
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

        private ExecClient(String path, String... protocols) {
            this(server, path, protocols);
        }

        private ExecClient(ContainerServerFixture to, String path, String... protocols) {
            socket = to.socket();
            socket.binaryMessageHandler(
                    message -> messages.add(message.getByte(0) + ":" + message.getString(1, message.length())));
            socket.closeHandler(v -> messages.add("closed " + socket.closeStatusCode()));
            to.connect(socket, path, protocols);
        }

        String next() throws InterruptedException {
            return messages.poll(60, TimeUnit.SECONDS);
        }

        void send(int channel, String text) {
            socket.writeBinaryMessage(Buffer.buffer().appendByte((byte) channel).appendString(text));
        }

        void closeInput() {
            socket.writeBinaryMessage(Buffer.buffer(new byte[] {(byte) 255, 0}));
        }
    }

    @Test
    void auditLog_execSession_recordsUserAndPodWhileItRuns() throws Exception {
        server.runningPod("audited", "c");
        new ExecClient(ContainerServerFixture.PODS + "/audited/exec?command=s3cret" + ALL, V5);
        FakeSession session = CONTAINERS.nextSession();
        ConditionPoller.until(() -> !audited("audited", "exec").isEmpty());
        session.exit(0);
        session.awaitClosed();
        new ExecClient(ContainerServerFixture.PODS + "/audited/attach?stdout=1", V5);
        CONTAINERS.nextSession().exit(0);
        ConditionPoller.until(() -> !audited("audited", "attach").isEmpty());

        assertThat(audited("audited", "exec")).hasSize(1);
        assertThat(audited("audited", "exec").get(0))
                .contains("\"stage\":\"ResponseStarted\"", "\"verb\":\"get\"", "\"code\":101", "\"username\":\"admin\"")
                .doesNotContain("s3cret");
    }

    private static List<String> audited(String pod, String subresource) throws IOException {
        return Files.readAllLines(server.auditFile()).stream()
                .filter(line -> line.contains("\"name\":\"" + pod + "\"")
                        && line.contains("\"subresource\":\"" + subresource + "\""))
                .toList();
    }

    @Test
    void exec_command_streamsOutputAndReportsExitCode() throws Exception {
        ExecClient client = new ExecClient(EXEC + ALL, V5, V4);
        assertThat(client.socket.subProtocol()).isEqualTo(V5);
        FakeSession session = CONTAINERS.nextSession();
        assertThat(session.description())
                .isEqualTo("exec [sh, -c, a b c] Streams[stdin=true, stdout=true, stderr=true, tty=false]");
        assertThat(client.next())
                .as("empty message that confirms the connection")
                .isEqualTo("1:");
        client.send(0, "hello");
        assertThat(session.nextCall()).isEqualTo("input hello");
        client.closeInput();
        assertThat(session.nextCall()).isEqualTo("end of input");
        session.writeOutput(OutputSource.STDOUT, "out");
        assertThat(client.next()).isEqualTo("1:out");
        session.writeOutput(OutputSource.STDERR, "err");
        assertThat(client.next()).isEqualTo("2:err");
        session.writeOutput(OutputSource.STDOUT, "last line");
        session.exit(7);
        assertThat(client.next()).isEqualTo("1:last line");
        assertThat(client.next())
                .isEqualTo("3:{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero"
                        + " exit code: exit status 7\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":["
                        + "{\"reason\":\"ExitCode\",\"message\":\"7\"}]}}");
        assertThat(client.next()).isEqualTo("closed 1000");
        session.awaitClosed();
    }

    @Test
    void exec_exitCodeZero_reportsSuccessOnErrorChannel() throws Exception {
        ExecClient client = new ExecClient(EXEC + "&stderr=1", V4);
        assertThat(client.socket.subProtocol()).isEqualTo(V4);
        assertThat(client.next()).isEqualTo("2:");
        CONTAINERS.nextSession().exit(0);
        assertThat(client.next()).isEqualTo("3:{\"metadata\":{},\"status\":\"Success\"}");
        assertThat(client.next()).isEqualTo("closed 1000");
    }

    @Test
    void exec_v4Protocol_ignoresCloseOfInput() throws Exception {
        ExecClient client = new ExecClient(EXEC + ALL, V4);
        FakeSession session = CONTAINERS.nextSession();
        client.closeInput();
        client.send(0, "more");
        assertThat(session.nextCall()).isEqualTo("input more");
        session.exit(0);
    }

    @ParameterizedTest
    @CsvSource({"7, 3:command terminated with non-zero exit code: exit status 7", "0, closed 1000"})
    void exec_firstProtocol_reportsOnlyMessageOfFailure(int exitCode, String last) throws Exception {
        ExecClient client = new ExecClient(EXEC + ALL, "channel.k8s.io");
        assertThat(client.socket.subProtocol()).isEqualTo("channel.k8s.io");
        FakeSession session = CONTAINERS.nextSession();
        assertThat(client.next()).isEqualTo("1:");
        client.send(0, "hello");
        assertThat(session.nextCall()).isEqualTo("input hello");
        session.writeOutput(OutputSource.STDOUT, "remote execution test");
        assertThat(client.next()).isEqualTo("1:remote execution test");
        session.exit(exitCode);
        assertThat(client.next()).isEqualTo(last);
    }

    @ParameterizedTest
    @CsvSource({
        "base64.channel.k8s.io, 3Y29tbWFuZCB0ZXJtaW5hdGVkIHdpdGggbm9uLXplcm8gZXhpdCBjb2RlOiBleGl0IHN0YXR1cyA3",
        "v4.base64.channel.k8s.io, 3eyJtZXRhZGF0YSI6e30sInN0YXR1cyI6"
    })
    void exec_base64Protocol_sendsAndReadsText(String protocol, String failure) throws Exception {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        ClientWebSocket socket = server.socket();
        socket.textMessageHandler(messages::add);
        server.connect(socket, EXEC + ALL, protocol);
        assertThat(socket.subProtocol()).isEqualTo(protocol);
        FakeSession session = CONTAINERS.nextSession();
        assertThat(messages.poll(60, TimeUnit.SECONDS)).isEqualTo("1");
        socket.writeTextMessage("0aGVsbG8=");
        assertThat(session.nextCall()).isEqualTo("input hello");
        socket.writeFrame(WebSocketFrame.textFrame("0aG", false));
        socket.writeFrame(WebSocketFrame.continuationFrame(Buffer.buffer("VsbG8="), true));
        assertThat(session.nextCall()).isEqualTo("input hello");
        session.writeOutput(OutputSource.STDERR, "err");
        assertThat(messages.poll(60, TimeUnit.SECONDS)).isEqualTo("2ZXJy");
        session.exit(7);
        assertThat(messages.poll(60, TimeUnit.SECONDS)).startsWith(failure);
    }

    @Test
    void exec_base64ProtocolWithOtherText_isClosed() throws Exception {
        ExecClient client = new ExecClient(EXEC + ALL, "base64.channel.k8s.io");
        FakeSession session = CONTAINERS.nextSession();
        client.socket.writeTextMessage("0????");
        session.awaitClosed();
        assertThat(client.next()).isEqualTo("closed 1002");
    }

    /** {@code kubectl attach -i} returns when its input ends; the container goes on. */
    @Test
    void attach_stdinEndsAndStdinOnceIsFalse_detachesWithoutClosingInput() throws Exception {
        server.pod(
                "open",
                "{'nodeName':'testhost','containers':[{'name':'c','image':'busybox','stdin':true}]}",
                ContainerServerFixture.running("c"));
        ExecClient client = new ExecClient(ContainerServerFixture.PODS + "/open/attach?stdin=1&stdout=1", V5);
        FakeSession session = CONTAINERS.nextSession();
        assertThat(client.next()).isEqualTo("1:");
        client.send(0, "abcd1234");
        client.closeInput();
        assertThat(session.nextCall()).isEqualTo("input abcd1234");
        assertThat(client.next()).isEqualTo("3:{\"metadata\":{},\"status\":\"Success\"}");
        assertThat(client.next()).isEqualTo("closed 1000");
        session.awaitClosed();
        assertThat(session.pendingCalls()).as("input is not closed").isZero();
    }

    @Test
    void attach_stdinEndsAndStdinOnceIsTrue_closesInputAndWaits() throws Exception {
        server.pod(
                "once",
                "{'nodeName':'testhost','containers':[{'name':'c','image':'busybox','stdin':true,'stdinOnce':true}]}",
                ContainerServerFixture.running("c"));
        ExecClient client = new ExecClient(ContainerServerFixture.PODS + "/once/attach?stdin=1&stdout=1", V5);
        FakeSession session = CONTAINERS.nextSession();
        assertThat(client.next()).isEqualTo("1:");
        client.closeInput();
        assertThat(session.nextCall()).isEqualTo("end of input");
        session.writeOutput(OutputSource.STDOUT, "stdin closed");
        assertThat(client.next()).isEqualTo("1:stdin closed");
        session.exit(0);
    }

    @Test
    void exec_tty_resizesAndHasNoStderr() throws Exception {
        ExecClient client = new ExecClient(EXEC + ALL + "&tty=true", V5);
        FakeSession session = CONTAINERS.nextSession();
        assertThat(session.description()).endsWith("Streams[stdin=true, stdout=true, stderr=false, tty=true]");
        client.send(4, "{\"Width\":120,\"Height\":40}\n");
        assertThat(session.nextCall()).isEqualTo("resize 120x40");
        client.send(4, "{\"Width\":0,\"Height\":40}");
        client.send(4, "no size");
        client.send(9, "no such channel");
        client.send(0, "x");
        assertThat(session.nextCall()).isEqualTo("input x");
        session.exit(0);
    }

    @Test
    void exec_processNotReading_holdsFurtherInputBack() throws Exception {
        ExecClient client = new ExecClient(EXEC + ALL, V5);
        FakeSession session = CONTAINERS.nextSession();
        CompletableFuture<Void> ready = new CompletableFuture<>();
        session.acceptInputAfter(ready);
        client.send(0, "first");
        client.send(0, "second");
        assertThat(session.nextCall()).isEqualTo("input first");
        assertThat(client.next()).isEqualTo("1:");
        session.writeOutput(OutputSource.STDOUT, "meanwhile");
        assertThat(client.next()).isEqualTo("1:meanwhile");
        assertThat(session.pendingCalls()).isZero();
        ready.complete(null);
        assertThat(session.nextCall()).isEqualTo("input second");
        session.exit(0);
    }

    @Test
    void exec_messageInSeveralFrames_isPassedOn() throws Exception {
        ExecClient client = new ExecClient(EXEC + ALL, V5);
        FakeSession session = CONTAINERS.nextSession();
        client.socket.writeFrame(
                WebSocketFrame.binaryFrame(Buffer.buffer().appendByte((byte) 0).appendString("one "), false));
        client.socket.writeFrame(WebSocketFrame.continuationFrame(Buffer.buffer("two"), true));
        assertThat(session.nextCall()).isEqualTo("input one ");
        assertThat(session.nextCall()).isEqualTo("input two");
        session.exit(0);
    }

    @Test
    void exec_frameTooLarge_closesSession() throws Exception {
        ExecClient client = new ExecClient(EXEC + ALL, V5);
        FakeSession session = CONTAINERS.nextSession();
        // Before the frame: a connection that is closed with unread data may lose messages.
        assertThat(client.next()).isEqualTo("1:");
        client.socket.writeFrame(WebSocketFrame.binaryFrame(Buffer.buffer(new byte[300 * 1024]), true));
        session.awaitClosed();
        assertThat(client.next()).startsWith("closed 100");
    }

    @Test
    void exec_clientDisconnects_closesSessionAndConnection() throws Exception {
        // Connections of earlier tests may still be closing, so this opens more than those could hide.
        int before = server.connections();
        for (int i = 0; i < MANY; i++) {
            ExecClient client = new ExecClient(EXEC + ALL, V5);
            FakeSession session = CONTAINERS.nextSession();
            client.socket.close();
            session.awaitClosed();
            assertThat(session.writeOutput(OutputSource.STDOUT, "more").toCompletableFuture())
                    .isCompletedExceptionally();
        }
        ConditionPoller.until(() -> server.connections() <= before);
    }

    /** The other client was connected first, so it was also pinged and checked when the silent one is disconnected. */
    @Test
    void exec_clientStopsAnsweringPings_isDisconnectedAndOtherStaysOpen() throws Exception {
        FakeContainerAccess containers = new FakeContainerAccess();
        Path directory = Files.createDirectory(data.resolve("pings"));
        try (ContainerServerFixture pinging = new ContainerServerFixture(directory, containers, PING_INTERVAL)) {
            pinging.runningPod("one", "c");
            ExecClient answering = new ExecClient(pinging, EXEC + ALL, V5);
            FakeSession session = containers.nextSession();
            ExecClient silent = new ExecClient(pinging, EXEC + ALL, V5);
            silent.socket.pause();
            // Enough frames that the client stops reading, including pings.
            FakeSession unanswered = containers.nextSession();
            for (int i = 0; i < 100; i++) {
                unanswered.writeOutput(OutputSource.STDOUT, new byte[64 * 1024]);
            }
            unanswered.awaitClosed();
            answering.send(0, "still here");
            assertThat(session.nextCall()).isEqualTo("input still here");
            session.exit(0);
        }
    }

    @Test
    void attach_containerWithTty_usesTerminal() throws Exception {
        new ExecClient(ContainerServerFixture.PODS + "/terminal/attach?stdin=1&stdout=1&stderr=1", V5);
        FakeSession session = CONTAINERS.nextSession();
        assertThat(session.description()).isEqualTo("attach Streams[stdin=true, stdout=true, stderr=false, tty=true]");
        session.exit(0);
    }

    @Test
    void exec_failureAfterUpgrade_isReportedOnErrorChannel() throws Exception {
        CONTAINERS.fail(AccessFailureReason.FAILED, "error executing command in container: no");
        ExecClient client = new ExecClient(EXEC + ALL, V5);
        assertThat(client.next()).isEqualTo("1:");
        assertThat(client.next())
                .startsWith("3:{\"kind\":\"Status\"")
                .contains("\"message\":\"Internal error occurred: error executing command in container: no\"");
        assertThat(client.next()).isEqualTo("closed 1000");
    }

    @Test
    void exec_longCommand_isPassedCompletely() throws Exception {
        new ExecClient(ContainerServerFixture.PODS + "/one/exec?stdout=1" + "&command=w".repeat(1000), V5);
        FakeSession session = CONTAINERS.nextSession();
        assertThat(session.description().split("w", -1)).hasSize(1001);
        session.exit(0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        none/exec?command=x&stdout=1 | 404 | pods "none" not found
        two/exec?command=x&stdout=1 | 400 | a container name must be specified for pod two, choose one of: [a b]
        two/attach?container=x&stdout=1 | 400 | container x is not valid for pod two
        unscheduled/exec?command=x&stdout=1 | 400 | pod unscheduled does not have a host assigned
        waiting/exec?command=x&stdout=1 | 400 | container not found ("c"): it is not running, it is waiting to start: ContainerCreating
        ended/attach?stdout=1 | 400 | container not found ("c"): it is not running, it has ended with exit code 3
        one/exec?stdout=1 | 400 | you must specify at least one command for the container
        one/exec?command=x | 400 | you must specify at least 1 of stdin, stdout, stderr
        one/attach?stdin=false | 400 | you must specify at least 1 of stdin, stdout, stderr
        """)
    void execOrAttach_invalidRequest_isRefusedBeforeWebSocketOrSpdyUpgrade(String path, int code, String message) {
        String uri = ContainerServerFixture.PODS + "/" + path;
        UpgradeRejectedException refused =
                catchThrowableOfType(UpgradeRejectedException.class, () -> server.connect(server.socket(), uri, V5));
        assertThat(refused.getStatus()).isEqualTo(code);
        assertThat(refused.getBody().toJsonObject().getString("message")).isEqualTo(message);
        Reply reply = server.send(HttpMethod.POST, uri, "", "Connection", "Upgrade", "Upgrade", "SPDY/3.1");
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.message()).isEqualTo(message);
        assertThat(CONTAINERS.hasNoSession()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"NO_RUNTIME, 501", "UNREACHABLE, 503", "BUSY, 429", "GONE, 400"})
    void exec_accessRefused_isRefusedBeforeUpgrade(AccessFailureReason kind, int code) {
        CONTAINERS.refuse(kind, "details");
        UpgradeRejectedException refused = catchThrowableOfType(
                UpgradeRejectedException.class, () -> server.connect(server.socket(), EXEC + ALL, V5));
        assertThat(refused.getStatus()).isEqualTo(code);
        assertThat(refused.getBody().toJsonObject().getString("message"))
                .isEqualTo(kind == AccessFailureReason.GONE ? "container not found (\"c\")" : "details");
    }

    @Test
    void exec_unsupportedProtocol_namesSupportedClients() {
        Reply spdy = server.send(HttpMethod.POST, EXEC + ALL, "", "Connection", "Upgrade", "Upgrade", "SPDY/3.1");
        assertThat(spdy.code()).isEqualTo(400);
        assertThat(spdy.message()).contains("not SPDY; use kubectl 1.30 or newer");
        assertThat(server.get(EXEC + ALL).message()).isEqualTo("Upgrade request required");
        UpgradeRejectedException other = catchThrowableOfType(
                UpgradeRejectedException.class, () -> server.connect(server.socket(), EXEC + ALL, "v9.channel.k8s.io"));
        assertThat(other.getBody().toString()).contains("the client offers v9.channel.k8s.io; use one of ");
        assertThat(server.send(HttpMethod.PUT, EXEC, "").code()).isEqualTo(405);
    }
}
