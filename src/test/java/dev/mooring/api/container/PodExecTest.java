package dev.mooring.api.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.api.container.ContainerAccess.Source;
import dev.mooring.api.container.ContainerAccessException.Kind;
import dev.mooring.api.container.ContainerServer.Reply;
import dev.mooring.api.container.FakeContainers.Opened;
import dev.mooring.testing.Patience;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientWebSocket;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocketFrame;
import java.nio.file.Path;
import java.time.Duration;
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

/** {@code pods/exec} and {@code pods/attach} over a WebSocket, with containers that a test plays. */
@Timeout(60)
class PodExecTest {
    private static final int MANY = 30;
    private static final String V5 = "v5.channel.k8s.io";
    private static final String V4 = "v4.channel.k8s.io";
    private static final String EXEC = ContainerServer.PODS + "/one/exec?command=sh&command=-c&command=a+b%20c";
    private static final String ALL = "&stdin=true&stdout=true&stderr=true";

    @TempDir
    private static Path data;

    private static final FakeContainers CONTAINERS = new FakeContainers();
    private static ContainerServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new ContainerServer(data, CONTAINERS, Duration.ofMillis(300));
        server.runningPod("one", "c");
        server.runningPod("two", "a", "b");
        server.pod(
                "terminal",
                "{'nodeName':'testhost','containers':[{'name':'t','image':'busybox','tty':true,'stdin':true}]}",
                ContainerServer.running("t"));
        server.pod("unscheduled", "{'containers':[{'name':'c','image':'busybox'}]}", "");
        server.pod(
                "waiting",
                ContainerServer.spec("c"),
                "{'containerStatuses':["
                        + ContainerServer.containerStatus("c", "'waiting':{'reason':'ContainerCreating'}", "") + "]}");
        server.pod(
                "ended",
                ContainerServer.spec("c"),
                "{'containerStatuses':[" + ContainerServer.containerStatus("c", "'terminated':{'exitCode':3}", "")
                        + "]}");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void workAgain() {
        CONTAINERS.workAgain();
    }

    /** A client's side: what comes is kept as channel:text, and how it ends. */
    private static final class Client {
        private final ClientWebSocket socket = server.socket();
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

        private Client(String path, String... protocols) {
            socket.binaryMessageHandler(
                    message -> messages.add(message.getByte(0) + ":" + message.getString(1, message.length())));
            socket.closeHandler(v -> messages.add("closed " + socket.closeStatusCode()));
            server.connect(socket, path, protocols);
        }

        String next() throws InterruptedException {
            return messages.poll(20, TimeUnit.SECONDS);
        }

        void sends(int channel, String text) {
            socket.writeBinaryMessage(Buffer.buffer().appendByte((byte) channel).appendString(text));
        }

        void closesInput() {
            socket.writeBinaryMessage(Buffer.buffer(new byte[] {(byte) 255, 0}));
        }
    }

    @Test
    void runsACommandAndTellsItsExitCode() throws Exception {
        Client client = new Client(EXEC + ALL, V5, V4);
        assertThat(client.socket.subProtocol()).isEqualTo(V5);
        Opened session = CONTAINERS.next();
        assertThat(session.what())
                .isEqualTo("exec [sh, -c, a b c] Streams[stdin=true, stdout=true, stderr=true, tty=false]");
        assertThat(client.next()).as("says that it is connected").isEqualTo("1:");
        client.sends(0, "hello");
        assertThat(session.call()).isEqualTo("input hello");
        client.closesInput();
        assertThat(session.call()).isEqualTo("end of input");
        session.says(Source.STDOUT, "out");
        assertThat(client.next()).isEqualTo("1:out");
        session.says(Source.STDERR, "err");
        assertThat(client.next()).isEqualTo("2:err");
        session.says(Source.STDOUT, "last words");
        session.ends(7);
        assertThat(client.next()).isEqualTo("1:last words");
        assertThat(client.next())
                .isEqualTo("3:{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with non-zero"
                        + " exit code: exit status 7\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":["
                        + "{\"reason\":\"ExitCode\",\"message\":\"7\"}]}}");
        assertThat(client.next()).isEqualTo("closed 1000");
        session.awaitClosed();
    }

    @Test
    void successIsToldToo() throws Exception {
        Client client = new Client(EXEC + "&stderr=1", V4);
        assertThat(client.socket.subProtocol()).isEqualTo(V4);
        assertThat(client.next()).isEqualTo("2:");
        CONTAINERS.next().ends(0);
        assertThat(client.next()).isEqualTo("3:{\"metadata\":{},\"status\":\"Success\"}");
        assertThat(client.next()).isEqualTo("closed 1000");
    }

    @Test
    void theOlderProtocolKnowsNoEndOfInput() throws Exception {
        Client client = new Client(EXEC + ALL, V4);
        Opened session = CONTAINERS.next();
        client.closesInput();
        client.sends(0, "more");
        assertThat(session.call()).isEqualTo("input more");
        session.ends(0);
    }

    @Test
    void aTerminalHasASizeAndNoStandardErrorOfItsOwn() throws Exception {
        Client client = new Client(EXEC + ALL + "&tty=true", V5);
        Opened session = CONTAINERS.next();
        assertThat(session.what()).endsWith("Streams[stdin=true, stdout=true, stderr=false, tty=true]");
        client.sends(4, "{\"Width\":120,\"Height\":40}\n");
        assertThat(session.call()).isEqualTo("resize 120x40");
        client.sends(4, "{\"Width\":0,\"Height\":40}");
        client.sends(4, "no size");
        client.sends(9, "no such channel");
        client.sends(0, "x");
        assertThat(session.call()).isEqualTo("input x");
        session.ends(0);
    }

    @Test
    void inputWaitsUntilTheProcessHasTakenWhatCameBefore() throws Exception {
        Client client = new Client(EXEC + ALL, V5);
        Opened session = CONTAINERS.next();
        CompletableFuture<Void> ready = new CompletableFuture<>();
        session.takesInputWhen(ready);
        client.sends(0, "first");
        client.sends(0, "second");
        assertThat(session.call()).isEqualTo("input first");
        assertThat(client.next()).isEqualTo("1:");
        session.says(Source.STDOUT, "meanwhile");
        assertThat(client.next()).isEqualTo("1:meanwhile");
        assertThat(session.callsWaiting()).isZero();
        ready.complete(null);
        assertThat(session.call()).isEqualTo("input second");
        session.ends(0);
    }

    @Test
    void aMessageMayComeInSeveralFrames() throws Exception {
        Client client = new Client(EXEC + ALL, V5);
        Opened session = CONTAINERS.next();
        client.socket.writeFrame(
                WebSocketFrame.binaryFrame(Buffer.buffer().appendByte((byte) 0).appendString("one "), false));
        client.socket.writeFrame(WebSocketFrame.continuationFrame(Buffer.buffer("two"), true));
        assertThat(session.call()).isEqualTo("input one ");
        assertThat(session.call()).isEqualTo("input two");
        session.ends(0);
    }

    @Test
    void aFrameThatIsTooLargeEndsIt() throws Exception {
        Client client = new Client(EXEC + ALL, V5);
        Opened session = CONTAINERS.next();
        client.socket.writeFrame(WebSocketFrame.binaryFrame(Buffer.buffer(new byte[300 * 1024]), true));
        session.awaitClosed();
        assertThat(client.next()).isEqualTo("1:");
        assertThat(client.next()).startsWith("closed 100");
    }

    @Test
    void aClientThatGoesEndsTheSessionAndItsConnectionIsForgotten() throws Exception {
        // Those of tests before may still be closing, so more come and go here than those could hide.
        int before = server.connections();
        for (int i = 0; i < MANY; i++) {
            Client client = new Client(EXEC + ALL, V5);
            Opened session = CONTAINERS.next();
            client.socket.close();
            session.awaitClosed();
            assertThat(session.says(Source.STDOUT, "more").toCompletableFuture())
                    .isCompletedExceptionally();
        }
        Patience.until(() -> server.connections() <= before);
    }

    @Test
    void isKeptWhileAClientAnswersPings() throws Exception {
        Client client = new Client(EXEC + ALL, V5);
        Opened session = CONTAINERS.next();
        CompletableFuture<Void> later = new CompletableFuture<>();
        server.vertx().setTimer(1500, id -> later.complete(null));
        later.get(20, TimeUnit.SECONDS);
        client.sends(0, "still here");
        assertThat(session.call()).isEqualTo("input still here");
        session.ends(0);
    }

    @Test
    void aClientThatIsNotHeardAnyMoreIsGivenUp() throws Exception {
        Client client = new Client(EXEC + ALL, V5);
        client.socket.pause();
        // So many frames that the client's side stops reading, pings included.
        Opened session = CONTAINERS.next();
        for (int i = 0; i < 100; i++) {
            session.says(Source.STDOUT, new byte[64 * 1024]);
        }
        session.awaitClosed();
    }

    @Test
    void joinsAContainerAsItWasMade() throws Exception {
        new Client(ContainerServer.PODS + "/terminal/attach?stdin=1&stdout=1&stderr=1", V5);
        Opened session = CONTAINERS.next();
        assertThat(session.what()).isEqualTo("attach Streams[stdin=true, stdout=true, stderr=false, tty=true]");
        session.ends(0);
    }

    @Test
    void whatGoesWrongLaterIsToldOnTheErrorChannel() throws Exception {
        CONTAINERS.fail(Kind.FAILED, "error executing command in container: no");
        Client client = new Client(EXEC + ALL, V5);
        assertThat(client.next()).isEqualTo("1:");
        assertThat(client.next())
                .startsWith("3:{\"kind\":\"Status\"")
                .contains("\"message\":\"Internal error occurred: error executing command in container: no\"");
        assertThat(client.next()).isEqualTo("closed 1000");
    }

    @Test
    void aLongCommandIsNotCut() throws Exception {
        new Client(ContainerServer.PODS + "/one/exec?stdout=1" + "&command=w".repeat(1000), V5);
        Opened session = CONTAINERS.next();
        assertThat(session.what().split("w", -1)).hasSize(1001);
        session.ends(0);
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
    void saysNoBeforeTheUpgradeOverWebSocketAndSpdyAlike(String path, int code, String message) {
        String uri = ContainerServer.PODS + "/" + path;
        UpgradeRejectedException refused =
                catchThrowableOfType(UpgradeRejectedException.class, () -> server.connect(server.socket(), uri, V5));
        assertThat(refused.getStatus()).isEqualTo(code);
        assertThat(refused.getBody().toJsonObject().getString("message")).isEqualTo(message);
        Reply reply = server.send(HttpMethod.POST, uri, "", "Connection", "Upgrade", "Upgrade", "SPDY/3.1");
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.message()).isEqualTo(message);
        assertThat(CONTAINERS.nothingBegan()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"NO_RUNTIME, 501", "UNREACHABLE, 503", "BUSY, 429", "GONE, 400"})
    void whatIsKnownToBeOutOfReachIsRefusedBeforeTheUpgrade(Kind kind, int code) {
        CONTAINERS.refuse(kind, "words");
        UpgradeRejectedException refused = catchThrowableOfType(
                UpgradeRejectedException.class, () -> server.connect(server.socket(), EXEC + ALL, V5));
        assertThat(refused.getStatus()).isEqualTo(code);
        assertThat(refused.getBody().toJsonObject().getString("message"))
                .isEqualTo(kind == Kind.GONE ? "container not found (\"c\")" : "words");
    }

    @Test
    void saysWhichClientsCanDoIt() {
        Reply spdy = server.send(HttpMethod.POST, EXEC + ALL, "", "Connection", "Upgrade", "Upgrade", "SPDY/3.1");
        assertThat(spdy.code()).isEqualTo(400);
        assertThat(spdy.message()).contains("not SPDY; use kubectl 1.30 or newer");
        assertThat(server.get(EXEC + ALL).message()).isEqualTo("Upgrade request required");
        UpgradeRejectedException other = catchThrowableOfType(
                UpgradeRejectedException.class,
                () -> server.connect(server.socket(), EXEC + ALL, "base64.channel.k8s.io"));
        assertThat(other.getBody().toString()).contains("but the client offers base64.channel.k8s.io");
        assertThat(server.send(HttpMethod.PUT, EXEC, "").code()).isEqualTo(405);
    }
}
