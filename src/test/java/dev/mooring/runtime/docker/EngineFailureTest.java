package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.runtime.ContainerStreams.ExecRequest;
import dev.mooring.runtime.ContainerStreams.LogRequest;
import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.ContainerStreams.StreamSelection;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.testing.RealEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of streams with engines that close connections early, do not respond, or break the protocol. */
@Timeout(300)
class EngineFailureTest {
    private static final LogRequest FOLLOWED = new LogRequest(Optional.empty(), OptionalInt.empty(), true, false);
    private static final StreamSelection OUTPUT = new StreamSelection(false, true, true, false);
    private static final ExecRequest EXEC = new ExecRequest(List.of("sleep", "1000"), OUTPUT);
    private static final String FACTS = "{\"Id\":\"c1\",\"Config\":{\"Tty\":false},\"State\":{\"Running\":true}}";
    private static final String LOGS = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String UPGRADED = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

    @TempDir
    Path directory;

    private final CollectingSink collected = new CollectingSink();

    private FakeDockerServer logging(FakeDockerServer.ResponseScript log) throws Exception {
        return new FakeDockerServer(directory, (request, caller) -> {
            if (request.contains("/logs")) {
                log.respond(request, caller);
            } else {
                caller.json(200, FACTS);
            }
        });
    }

    private static DockerStreams to(FakeDockerServer engine) {
        return new DockerStreams(engine.host(), Optional.empty());
    }

    @Test
    void logs_connectionClosedEarly_deliversTheOutputBefore() throws Exception {
        try (FakeDockerServer engine = logging((request, caller) -> {
                    caller.say(LOGS + "a\r\n\1\0\0\0\0\0\0\2hi\r\n");
                });
                DockerStreams streams = to(engine)) {
            EngineException failure = CollectingSink.failureOf(streams.logs("c1", FOLLOWED, collected));

            assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(failure).hasMessageContaining("Lost the connection to the Docker engine");
            assertThat(collected.out()).isEqualTo("hi");
        }
    }

    @Test
    void logs_receivedByteByByte_areDecoded() throws Exception {
        String log =
                LOGS + "a;odd=1\r\n\1\0\0\0\0\0\0\2hi\r\n5\r\n\2\0\0\0\0\r\n6\r\n\0\0\3err\r\n0\r\nTrailer: x\r\n\r\n";
        try (FakeDockerServer engine = logging((request, caller) -> {
                    for (int at = 0; at < log.length(); at++) {
                        caller.say(log.substring(at, at + 1));
                    }
                });
                DockerStreams streams = to(engine)) {
            assertThat(CollectingSink.codeOf(streams.logs("c1", FOLLOWED, collected)))
                    .isZero();

            assertThat(collected.out()).isEqualTo("hi");
            assertThat(collected.err()).isEqualTo("err");
        }
    }

    @Test
    void logs_followedStreamEndsEarly_remainderIsReadOnce() throws Exception {
        String time = "2026-11-17T10:00:00.0000000";
        String[] entries = {entry(1, time + "01Z 1\n"), entry(2, time + "03Z 2\n"), entry(1, time + "03Z 3 begins, ")};
        String[] missing = {entry(1, time + "03Z and ends\n"), entry(2, time + "02Z 4\n"), entry(1, time + "09Z 5\n")};
        List<String> requests = new CopyOnWriteArrayList<>();
        try (FakeDockerServer engine = logging((request, caller) -> {
                    requests.add(request);
                    String all =
                            String.join("", entries) + (request.contains("follow=1") ? "" : String.join("", missing));
                    caller.say(LOGS + Integer.toHexString(all.length()) + "\r\n" + all + "\r\n0\r\n\r\n");
                });
                DockerStreams streams = to(engine)) {
            assertThat(CollectingSink.codeOf(streams.logs("c1", FOLLOWED, collected)))
                    .isZero();

            assertThat(collected.out()).isEqualTo("1\n3 begins, and ends\n5\n");
            assertThat(collected.err()).isEqualTo("2\n4\n");
            assertThat(requests).hasSize(2);
            assertThat(requests.get(1))
                    .contains("follow=0", "since=1794909600.000000001")
                    .doesNotContain("tail");
        }
    }

    @Test
    void logs_containerRemovedWhenFollowedStreamEnds_areComplete() throws Exception {
        String entry = entry(1, "2026-11-17T10:00:00.000000001Z 1\n");
        try (FakeDockerServer engine = logging((request, caller) -> {
                    if (request.contains("follow=1")) {
                        caller.say(LOGS + Integer.toHexString(entry.length()) + "\r\n" + entry + "\r\n0\r\n\r\n");
                    } else {
                        caller.json(404, "{\"message\":\"No such container: c1\"}");
                    }
                });
                DockerStreams streams = to(engine)) {
            assertThat(CollectingSink.codeOf(streams.logs("c1", FOLLOWED, collected)))
                    .isZero();
            assertThat(collected.out()).isEqualTo("1\n");
        }
    }

    private static String entry(int channel, String text) {
        return (char) channel + "\0\0\0\0\0\0" + (char) text.length() + text;
    }

    @Test
    void logs_errorFrame_failsWithTheEngineMessage() throws Exception {
        try (FakeDockerServer engine = logging((request, caller) -> {
                    caller.say(LOGS + "c\r\n\3\0\0\0\0\0\0\4Oh!\n\r\n0\r\n\r\n");
                });
                DockerStreams streams = to(engine)) {
            EngineException failure = CollectingSink.failureOf(streams.logs("c1", FOLLOWED, collected));

            assertThat(failure.kind()).isEqualTo(Kind.FAILED);
            assertThat(failure).hasMessage("Oh!");
        }
    }

    @Test
    void logs_sinkBlocks_bufferIsBounded() throws Exception {
        int frame = 1 << 20;
        AtomicLong sent = new AtomicLong();
        byte[] piece = new byte[16 * 1024];
        try (FakeDockerServer engine = logging((request, caller) -> {
                    caller.say(LOGS + "7ffffff0\r\n\1\0\0\0\177\377\377\0");
                    while (sent.get() < 1000L * frame) {
                        caller.send(piece);
                        sent.addAndGet(piece.length);
                    }
                });
                DockerStreams streams = to(engine)) {
            CountDownLatch first = new CountDownLatch(1);
            CountDownLatch stop = new CountDownLatch(1);
            Session session = streams.logs("c1", FOLLOWED, (channel, bytes) -> {
                first.countDown();
                stop.await();
            });
            first.await();
            long before = -1;
            while (before != sent.get()) {
                before = sent.get();
                stop.await(200, java.util.concurrent.TimeUnit.MILLISECONDS);
            }

            assertThat(before).isLessThan(2L * frame);
            session.close();
        }
    }

    @Test
    void exec_engineDies_isUnreachable() throws Exception {
        FakeDockerServer[] self = new FakeDockerServer[1];
        try (FakeDockerServer engine = new FakeDockerServer(directory, (request, caller) -> {
                    if (request.contains("/start")) {
                        caller.say(UPGRADED + "\1\0\0\0\0\0\0\2hi");
                        awaitCollectedOutput();
                        self[0].close();
                    } else {
                        caller.json(201, "{\"Id\":\"e1\"}");
                    }
                });
                DockerStreams streams = to(engine)) {
            self[0] = engine;

            EngineException failure = CollectingSink.failureOf(streams.exec("c1", EXEC, collected));

            assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(collected.out()).isEqualTo("hi");
        }
    }

    private void awaitCollectedOutput() throws InterruptedException {
        collected.awaitOut("hi");
    }

    @Test
    void logs_engineDoesNotRespond_isTooSlow() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (FakeDockerServer engine = new FakeDockerServer(directory, (request, caller) -> never.await());
                DockerStreams streams = new DockerStreams(engine.host(), Duration.ofMillis(100))) {
            assertThatThrownBy(() -> streams.logs("c1", FOLLOWED, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TOO_SLOW));
        }
    }

    @Test
    void logs_interruptedWhileWaiting_throwsInterruptedException() throws Exception {
        CountDownLatch received = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        try (FakeDockerServer engine = new FakeDockerServer(directory, (request, caller) -> {
                    received.countDown();
                    never.await();
                });
                DockerStreams streams = to(engine)) {
            Thread[] waiting = {Thread.currentThread()};
            Thread interrupter = new Thread(() -> {
                try {
                    received.await();
                    waiting[0].interrupt();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            interrupter.start();

            assertThatThrownBy(() -> streams.logs("c1", FOLLOWED, collected)).isInstanceOf(InterruptedException.class);

            interrupter.join();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "404, '{\"message\":\"No such container: c1\"}', NOT_FOUND, No such container: c1",
        "409, '{\"message\":\"Container c1 is paused\"}', CONFLICT, Container c1 is paused",
        "400, '{\"message\":\"bad parameter\"}', REFUSED, bad parameter",
        "500, '{\"message\":\"disk full\\n\"}', FAILED, disk full",
        "502, 'Bad gateway', FAILED, Bad gateway",
        "503, '', FAILED, The Docker engine responded with status 503"
    })
    void exec_errorResponse_keepsTheEngineMessage(int status, String body, Kind kind, String message) throws Exception {
        try (FakeDockerServer engine = new FakeDockerServer(directory, (request, caller) -> caller.json(status, body));
                DockerStreams streams = to(engine)) {
            assertThatThrownBy(() -> streams.exec("c1", EXEC, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                    .hasMessage(message);
        }
    }

    @Test
    void logs_noEngineAtAddress_isUnreachable() throws Exception {
        try (DockerStreams streams = new DockerStreams("unix://" + directory.resolve("missing"), Optional.empty())) {
            assertThatThrownBy(() -> streams.logs("c1", FOLLOWED, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                    .hasMessageContaining("Cannot connect to the Docker engine at unix://");
        }
        try (FakeDockerServer engine =
                        new FakeDockerServer(directory, (request, caller) -> caller.say("220 mail ready\r\n"));
                DockerStreams streams = to(engine)) {
            assertThatThrownBy(() -> streams.logs("c1", FOLLOWED, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                    .hasMessageContaining("another program listens at this address");
        }
    }

    @ParameterizedTest
    @CsvSource({"http://localhost:1", "tcp://localhost", "nonsense"})
    void streams_invalidAddress_isRejected(String host) {
        assertThatThrownBy(() -> new DockerStreams(host, Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(host);
    }

    @Test
    void sessions_realEngineKilled_areUnreachable() throws Exception {
        try (RealEngine engine = RealEngine.own();
                EngineFixture containers = new EngineFixture(engine.host());
                DockerStreams streams = new DockerStreams(engine.host(), Optional.empty())) {
            String id = containers.running("while true; do echo hi; sleep 1; done");
            CollectingSink log = new CollectingSink();
            CollectingSink attached = new CollectingSink();
            ExecRequest saying = new ExecRequest(List.of("sh", "-c", "echo hi; sleep 1000"), OUTPUT);
            List<Session> sessions = List.of(
                    streams.logs(id, FOLLOWED, log),
                    streams.exec(id, saying, collected),
                    streams.attach(id, OUTPUT, attached));
            for (CollectingSink each : List.of(log, collected, attached)) {
                each.awaitOut("hi\n");
            }

            engine.kill();

            for (Session session : sessions) {
                assertThat(CollectingSink.failureOf(session).kind()).isEqualTo(Kind.UNREACHABLE);
            }
            CollectingSink.awaitNoThreads("mooring-stream-exec");
        }
    }
}
