package dev.mooring.runtime.docker.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.runtime.ContainerStreams.ExecRequest;
import dev.mooring.runtime.ContainerStreams.LogRequest;
import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.ContainerStreams.Wanted;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.testing.RealEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Engines that break off, are silent or talk nonsense. */
@Timeout(120)
class EngineTroubleTest {
    private static final LogRequest FOLLOWED = new LogRequest(Optional.empty(), OptionalInt.empty(), true, false);
    private static final Wanted OUTPUT = new Wanted(false, true, true, false);
    private static final ExecRequest EXEC = new ExecRequest(List.of("sleep", "1000"), OUTPUT);
    private static final String FACTS = "{\"Id\":\"c1\",\"Config\":{\"Tty\":false},\"State\":{\"Running\":true}}";
    private static final String LOGS = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String HANDED_OVER = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

    @TempDir
    Path directory;

    private final Collected collected = new Collected();

    private FakeEngine logging(FakeEngine.Answer log) throws Exception {
        return new FakeEngine(directory, (request, caller) -> {
            if (request.contains("/logs")) {
                log.give(request, caller);
            } else {
                caller.json(200, FACTS);
            }
        });
    }

    private static DockerStreams to(FakeEngine engine) {
        return new DockerStreams(engine.host(), Optional.empty());
    }

    @Test
    void handsOverWhatCameBeforeALogBrokeOff() throws Exception {
        try (FakeEngine engine = logging((request, caller) -> {
                    caller.say(LOGS + "a\r\n\1\0\0\0\0\0\0\2hi\r\n");
                });
                DockerStreams streams = to(engine)) {
            EngineException failure = Collected.failureOf(streams.logs("c1", FOLLOWED, collected));

            assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(failure).hasMessageContaining("broke");
            assertThat(collected.out()).isEqualTo("hi");
        }
    }

    @Test
    void readsALogThatComesByteByByte() throws Exception {
        String log =
                LOGS + "a;odd=1\r\n\1\0\0\0\0\0\0\2hi\r\n5\r\n\2\0\0\0\0\r\n6\r\n\0\0\3err\r\n0\r\nTrailer: x\r\n\r\n";
        try (FakeEngine engine = logging((request, caller) -> {
                    for (int at = 0; at < log.length(); at++) {
                        caller.say(log.substring(at, at + 1));
                    }
                });
                DockerStreams streams = to(engine)) {
            assertThat(Collected.codeOf(streams.logs("c1", FOLLOWED, collected)))
                    .isZero();

            assertThat(collected.out()).isEqualTo("hi");
            assertThat(collected.err()).isEqualTo("err");
        }
    }

    @Test
    void repeatsTheEnginesComplaintAboutALog() throws Exception {
        try (FakeEngine engine = logging((request, caller) -> {
                    caller.say(LOGS + "c\r\n\3\0\0\0\0\0\0\4Oh!\n\r\n0\r\n\r\n");
                });
                DockerStreams streams = to(engine)) {
            EngineException failure = Collected.failureOf(streams.logs("c1", FOLLOWED, collected));

            assertThat(failure.kind()).isEqualTo(Kind.FAILED);
            assertThat(failure).hasMessage("Oh!");
        }
    }

    @Test
    void keepsNoMoreThanAPieceOfWhatNobodyTakes() throws Exception {
        int frame = 1 << 20;
        AtomicLong sent = new AtomicLong();
        byte[] piece = new byte[16 * 1024];
        try (FakeEngine engine = logging((request, caller) -> {
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
    void failsWhenTheEngineDiesUnderAProcess() throws Exception {
        FakeEngine[] self = new FakeEngine[1];
        try (FakeEngine engine = new FakeEngine(directory, (request, caller) -> {
                    if (request.contains("/start")) {
                        caller.say(HANDED_OVER + "\1\0\0\0\0\0\0\2hi");
                        collectedOut();
                        self[0].close();
                    } else {
                        caller.json(201, "{\"Id\":\"e1\"}");
                    }
                });
                DockerStreams streams = to(engine)) {
            self[0] = engine;

            EngineException failure = Collected.failureOf(streams.exec("c1", EXEC, collected));

            assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(collected.out()).isEqualTo("hi");
        }
    }

    private void collectedOut() throws InterruptedException {
        collected.awaitOut("hi");
    }

    @Test
    void gettingNoAnswerIsTooSlow() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        try (FakeEngine engine = new FakeEngine(directory, (request, caller) -> never.await());
                DockerStreams streams = new DockerStreams(engine.host(), Duration.ofMillis(100))) {
            assertThatThrownBy(() -> streams.logs("c1", FOLLOWED, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TOO_SLOW));
        }
    }

    @Test
    void canBeInterruptedWhileItWaitsForAnAnswer() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        try (FakeEngine engine = new FakeEngine(directory, (request, caller) -> {
                    asked.countDown();
                    never.await();
                });
                DockerStreams streams = to(engine)) {
            Thread[] asking = {Thread.currentThread()};
            Thread interrupter = new Thread(() -> {
                try {
                    asked.await();
                    asking[0].interrupt();
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
        "503, '', FAILED, The Docker engine answered with status 503."
    })
    void saysWhatTheEngineSays(int status, String body, Kind kind, String message) throws Exception {
        try (FakeEngine engine = new FakeEngine(directory, (request, caller) -> caller.json(status, body));
                DockerStreams streams = to(engine)) {
            assertThatThrownBy(() -> streams.exec("c1", EXEC, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                    .hasMessage(message);
        }
    }

    @Test
    void saysThatNobodyIsThere() throws Exception {
        try (DockerStreams streams = new DockerStreams("unix://" + directory.resolve("nobody"), Optional.empty())) {
            assertThatThrownBy(() -> streams.logs("c1", FOLLOWED, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                    .hasMessageContaining("Cannot connect to the Docker engine at unix://");
        }
        try (FakeEngine engine = new FakeEngine(directory, (request, caller) -> caller.say("220 mail ready\r\n"));
                DockerStreams streams = to(engine)) {
            assertThatThrownBy(() -> streams.logs("c1", FOLLOWED, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE))
                    .hasMessageContaining("something else answers");
        }
    }

    @ParameterizedTest
    @CsvSource({"http://localhost:1", "tcp://localhost", "nonsense"})
    void refusesAnAddressThatIsNone(String host) {
        assertThatThrownBy(() -> new DockerStreams(host, Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(host);
    }

    @Test
    void failsWhenARealEngineIsKilled() throws Exception {
        try (RealEngine engine = RealEngine.own();
                EngineFixture containers = new EngineFixture(engine.host());
                DockerStreams streams = new DockerStreams(engine.host(), Optional.empty())) {
            String id = containers.running("while true; do echo hi; sleep 1; done");
            Collected log = new Collected();
            Collected attached = new Collected();
            ExecRequest saying = new ExecRequest(List.of("sh", "-c", "echo hi; sleep 1000"), OUTPUT);
            List<Session> sessions = List.of(
                    streams.logs(id, FOLLOWED, log),
                    streams.exec(id, saying, collected),
                    streams.attach(id, OUTPUT, attached));
            for (Collected each : List.of(log, collected, attached)) {
                each.awaitOut("hi\n");
            }

            engine.kill();

            for (Session session : sessions) {
                assertThat(Collected.failureOf(session).kind()).isEqualTo(Kind.UNREACHABLE);
            }
            Collected.awaitNoThreads("mooring-stream-exec");
        }
    }
}
