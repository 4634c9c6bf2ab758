package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.runtime.ContainerStreams.LogRequest;
import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.EngineFixture.Console;
import dev.mooring.testing.RealEngine;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of reading logs of containers of a real engine. */
@Timeout(400)
class LogsTest {
    private static final LogRequest ALL = new LogRequest(Optional.empty(), OptionalInt.empty(), false, false);
    private static final LogRequest FOLLOWED = new LogRequest(Optional.empty(), OptionalInt.empty(), true, false);
    private static final LogRequest STAMPED = new LogRequest(Optional.empty(), OptionalInt.empty(), false, true);

    private EngineFixture engine;
    private DockerStreams streams;

    @BeforeEach
    void begin() {
        String host = RealEngine.shared().host();
        engine = new EngineFixture(host);
        streams = new DockerStreams(host, Optional.empty());
    }

    @AfterEach
    void end() throws Exception {
        streams.close();
        engine.close();
        CollectingSink.awaitNoThreads("mooring-stream-");
    }

    private CollectingSink read(String id, LogRequest request) throws Exception {
        CollectingSink collected = new CollectingSink();
        try (Session session = streams.logs(id, request, collected)) {
            assertThat(CollectingSink.codeOf(session)).isZero();
        }
        return collected;
    }

    @Test
    void logs_exitedContainer_separateStdoutAndStderr() throws Exception {
        CollectingSink log = read(engine.ended("echo one; echo two >&2; echo three; exit 4"), ALL);

        assertThat(log.out()).isEqualTo("one\nthree\n");
        assertThat(log.err()).isEqualTo("two\n");
    }

    @Test
    void logs_terminal_areReturnedUnchanged() throws Exception {
        String id = engine.running(Console.TTY, "sh", "-c", "echo one; echo two >&2");
        engine.await(id);

        CollectingSink log = read(id, ALL);

        assertThat(log.out()).isEqualTo("one\r\ntwo\r\n");
        assertThat(log.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0, ''", "1, '3\n'", "2, '2\n3\n'", "9, '1\n2\n3\n'"})
    void logs_tail_returnsTheLastLines(int lines, String expected) throws Exception {
        String id = engine.ended("echo 1; echo 2; echo 3");

        assertThat(read(id, new LogRequest(Optional.empty(), OptionalInt.of(lines), false, false))
                        .out())
                .isEqualTo(expected);
        assertThat(read(id, new LogRequest(Optional.empty(), OptionalInt.of(lines), true, false))
                        .out())
                .as("followed")
                .isEqualTo(expected);
    }

    @Test
    void logs_since_isExactToTheNanosecond() throws Exception {
        String id = engine.ended("for i in 1 2 3; do echo $i; usleep 20000; done");
        List<Instant> timestamps = read(id, STAMPED)
                .out()
                .lines()
                .map(line -> Instant.parse(line.split(" ", 2)[0]))
                .toList();
        assertThat(timestamps).hasSize(3);

        Instant second = timestamps.get(1);

        assertThat(read(id, since(second)).out()).isEqualTo("2\n3\n");
        assertThat(read(id, since(second.plusNanos(1))).out()).isEqualTo("3\n");
        assertThat(read(id, since(Instant.EPOCH.minusSeconds(1))).out()).isEqualTo("1\n2\n3\n");
    }

    private static LogRequest since(Instant time) {
        return new LogRequest(Optional.of(time), OptionalInt.empty(), false, false);
    }

    @Test
    void logs_longLineWithTimestamps_hasOneTimestamp() throws Exception {
        CollectingSink log = read(engine.ended("head -c 50000 /dev/zero | tr '\\0' x; echo; echo next"), STAMPED);

        assertThat(log.out()).matches("\\S{30} x{50000}\n\\S{30} next\n");
    }

    @Test
    void logs_followed_areCompleteUntilTheContainerExits() throws Exception {
        String id = engine.running(Console.STDIN_ONCE, "sh", "-c", "echo begun; read line; seq 1 5000; echo last");
        CollectingSink log = new CollectingSink();
        try (Session session = streams.logs(id, FOLLOWED, log)) {
            log.awaitOut("begun\n");
            assertThat(session.exitCode().toCompletableFuture()).isNotDone();
            try (Session attached = streams.attach(id, AttachTest.INPUT, new CollectingSink())) {
                attached.writeInput(new byte[] {'\n'});

                assertThat(CollectingSink.codeOf(session)).isZero();
            }
        }

        assertThat(log.out()).endsWith("4999\n5000\nlast\n");
        assertThat(log.out().lines()).hasSize(5002);
    }

    @Test
    void logs_missingContainer_isNotFound() {
        assertThatThrownBy(() -> streams.logs("streams-missing", ALL, new CollectingSink()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND))
                .hasMessage("No such container: streams-missing");
    }

    @Test
    void logs_slowSink_areCompleteInBoundedPieces() throws Exception {
        long size = 128L << 20;
        String id = engine.ended(
                "dd if=/dev/zero bs=1M count=128 2>/dev/null | tr '\\0' '\\n' | tr '\\n' x | fold -w 8000");
        AtomicLong received = new AtomicLong();
        AtomicLong lines = new AtomicLong();
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        long began;
        try (Session session = streams.logs(id, ALL, (channel, bytes) -> {
            first.countDown();
            goOn.await();
            assertThat(bytes.length).isLessThanOrEqualTo(Transport.LARGEST_PIECE);
            received.addAndGet(bytes.length);
            for (byte each : bytes) {
                if (each == '\n') {
                    lines.incrementAndGet();
                }
            }
        })) {
            first.await();
            assertThat(session.exitCode().toCompletableFuture()).isNotDone();
            began = System.nanoTime();
            goOn.countDown();
            assertThat(CollectingSink.codeOf(session)).isZero();
        }
        ThroughputLog.report("logs", size, System.nanoTime() - began);
        assertThat(received.get() - lines.get()).isEqualTo(size);
    }

    @Test
    void logs_sinkThrows_failsTheSession() throws Exception {
        String id = engine.running("while true; do echo again; usleep 1000; done");
        IOException enough = new IOException("enough");

        Session session = streams.logs(id, FOLLOWED, (channel, bytes) -> {
            throw enough;
        });

        EngineException failure = CollectingSink.failureOf(session);
        assertThat(failure.kind()).isEqualTo(Kind.FAILED);
        assertThat(failure).hasCause(enough);
        CollectingSink.awaitNoThreads("mooring-stream-logs");
    }

    @Test
    void logs_sessionClosedWhileSinkBlocks_ends() throws Exception {
        String id = engine.running("echo once; sleep 1000");
        CountDownLatch stuck = new CountDownLatch(1);
        Session session = streams.logs(id, FOLLOWED, (channel, bytes) -> {
            stuck.countDown();
            new CountDownLatch(1).await();
        });
        stuck.await();

        session.close();

        assertThat(session.exitCode().toCompletableFuture()).isCompletedExceptionally();
        CollectingSink.awaitNoThreads("mooring-stream-logs");
    }

    @Test
    void streams_closed_endsAllSessions() throws Exception {
        String id = engine.running("sleep 1000");
        Session first = streams.logs(id, FOLLOWED, new CollectingSink());
        Session second = streams.logs(id, FOLLOWED, new CollectingSink());

        streams.close();

        assertThat(CollectingSink.failureOf(first)).hasMessageContaining("closed");
        assertThat(CollectingSink.failureOf(second)).hasMessageContaining("closed");
        assertThatThrownBy(() -> streams.logs(id, FOLLOWED, new CollectingSink()))
                .isInstanceOf(EngineException.class);
        CollectingSink.awaitNoThreads("mooring-stream-logs");
    }
}
