package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.runtime.ContainerStreams.ExecRequest;
import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.ContainerStreams.Sink;
import dev.mooring.runtime.ContainerStreams.StreamSelection;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.testing.RealEngine;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of exec in containers of a real engine. */
@Timeout(300)
class ExecTest {
    private static final StreamSelection OUTPUT = new StreamSelection(false, true, true, false);
    private static final StreamSelection INPUT = new StreamSelection(true, true, true, false);
    private static final StreamSelection TERMINAL = new StreamSelection(true, true, false, true);

    private static EngineFixture engine;
    private static String id;

    private final CollectingSink collected = new CollectingSink();
    private DockerStreams streams;

    @BeforeAll
    static void beginAll() throws Exception {
        engine = new EngineFixture(RealEngine.shared().host());
        id = engine.running("sleep 1000");
    }

    @AfterAll
    static void endAll() throws Exception {
        if (engine != null) {
            engine.close();
        }
    }

    @BeforeEach
    void begin() {
        streams = new DockerStreams(RealEngine.shared().host(), Optional.empty());
    }

    @AfterEach
    void end() throws Exception {
        streams.close();
        CollectingSink.awaitNoThreads("mooring-stream-exec");
    }

    private Session shell(StreamSelection selection, Sink sink, String script) throws Exception {
        return streams.exec(id, new ExecRequest(List.of("sh", "-c", script), selection), sink);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void exec_separatesStdoutStderrAndExitCode() throws Exception {
        try (Session session = shell(OUTPUT, collected, "echo out; echo err >&2; exit 42")) {
            assertThat(CollectingSink.codeOf(session)).isEqualTo(42);
        }
        assertThat(collected.out()).isEqualTo("out\n");
        assertThat(collected.err()).isEqualTo("err\n");
    }

    @Test
    void exec_unselectedStreams_areOmitted() throws Exception {
        try (Session session =
                shell(new StreamSelection(false, false, true, false), collected, "echo out; echo err >&2")) {
            assertThat(CollectingSink.codeOf(session)).isZero();
            assertThatThrownBy(() -> session.writeInput(bytes("x")))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED));
        }
        assertThat(collected.out()).isEmpty();
        assertThat(collected.err()).isEqualTo("err\n");
    }

    @Test
    void exec_inputClosed_processReadsEndOfInput() throws Exception {
        try (Session session = shell(INPUT, collected, "cat; echo over")) {
            session.writeInput(bytes("one\n"));
            collected.awaitOut("one\n");
            session.closeInput();
            session.closeInput();

            assertThat(CollectingSink.codeOf(session)).isZero();
            assertThatThrownBy(() -> session.writeInput(bytes("x"))).isInstanceOf(EngineException.class);
        }
        assertThat(collected.out()).isEqualTo("one\nover\n");
    }

    @Test
    void exec_largeInputAndOutput_areTransferredConcurrently() throws Exception {
        byte[] data = new byte[64 << 20];
        new Random(6).nextBytes(data);
        long began = System.nanoTime();
        try (Session session = streams.exec(id, new ExecRequest(List.of("cat"), INPUT), collected)) {
            for (int at = 0; at < data.length; at += 1 << 20) {
                session.writeInput(java.util.Arrays.copyOfRange(data, at, at + (1 << 20)));
            }
            session.closeInput();
            assertThat(CollectingSink.codeOf(session)).isZero();
        }
        ThroughputLog.report("exec cat, both ways", data.length, System.nanoTime() - began);
        assertThat(collected.bytes()).isEqualTo(data);
    }

    @Test
    void exec_sinkBlocks_processIsHeldBack() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        long[] received = new long[1];
        // The process records its progress in a file, which stops advancing only while its output is blocked.
        try (Session session = shell(
                OUTPUT,
                (channel, bytes) -> {
                    first.countDown();
                    goOn.await();
                    received[0] += bytes.length;
                },
                "for i in $(seq 1 128); do head -c 1048576 /dev/zero; echo $i > /tmp/progress; done")) {
            first.await();
            String progress = settled("cat /tmp/progress 2>/dev/null || echo 0");
            assertThat(Integer.parseInt(progress)).isLessThan(16);
            long began = System.nanoTime();
            goOn.countDown();
            assertThat(CollectingSink.codeOf(session)).isZero();
            ThroughputLog.report("exec, out", received[0], System.nanoTime() - began);
        }
        assertThat(received[0]).isEqualTo(128L << 20);
    }

    /** Runs a command until its output is the same several times, and returns that output. */
    private String settled(String script) throws Exception {
        String before = "";
        int same = 0;
        while (same < 4) {
            CollectingSink sample = new CollectingSink();
            try (Session session = shell(OUTPUT, sample, "usleep 100000; " + script)) {
                CollectingSink.codeOf(session);
            }
            same = sample.out().equals(before) ? same + 1 : 0;
            before = sample.out();
        }
        return before.strip();
    }

    @Test
    void exec_processDoesNotReadInput_ends() throws Exception {
        try (Session session = shell(INPUT, collected, "head -c 10; exit 3")) {
            try {
                for (int n = 0; n < 64; n++) {
                    session.writeInput("0123456789".repeat(100_000).getBytes(StandardCharsets.UTF_8));
                }
                session.closeInput();
            } catch (EngineException e) {
                assertThat(e.kind()).isEqualTo(Kind.CONFLICT);
            }
            assertThat(CollectingSink.codeOf(session)).isEqualTo(3);
        }
        assertThat(collected.out()).isEqualTo("0123456789");
    }

    @Test
    void exec_processClosesOutput_waitsForItsExit() throws Exception {
        try (Session session = shell(OUTPUT, collected, "echo out; exec >&- 2>&-; sleep 1; exit 5")) {
            assertThat(CollectingSink.codeOf(session)).isEqualTo(5);
        }
        assertThat(collected.out()).isEqualTo("out\n");
    }

    @Test
    void exec_terminal_isResized() throws Exception {
        try (Session session = shell(TERMINAL, collected, "read line; stty size; read line; stty size; exit 7")) {
            session.resize(132, 43);
            session.writeInput(bytes("\n"));
            collected.awaitOut("43 132\r\n");
            session.resize(80, 24);
            session.writeInput(bytes("\n"));
            collected.awaitOut("24 80\r\n");

            assertThat(CollectingSink.codeOf(session)).isEqualTo(7);
            session.resize(1, 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "whole line\n", "half a line"})
    void exec_terminalInputClosed_processReadsEndOfInput(String input) throws Exception {
        try (Session session = shell(TERMINAL, collected, "stty -echo; echo ready; cat; echo; echo over")) {
            collected.awaitOut("ready\r\n");
            session.writeInput(bytes(input));
            session.closeInput();

            assertThat(CollectingSink.codeOf(session)).isZero();
        }
        assertThat(collected.out()).startsWith("ready\r\n" + input.strip()).endsWith("over\r\n");
    }

    @Test
    void exec_detachKeys_arePassedToTheProcess() throws Exception {
        try (Session session =
                shell(TERMINAL, collected, "stty raw -echo; echo ready; head -c 2 | od -An -tx1; echo over")) {
            collected.awaitOut("ready");
            session.writeInput(new byte[] {16, 17});
            assertThat(CollectingSink.codeOf(session)).isZero();
        }
        assertThat(collected.out()).contains("10 11").contains("over");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void exec_commandCannotBeRun_failsWithTheEngineMessage(boolean tty) throws Exception {
        StreamSelection selection = tty ? TERMINAL : OUTPUT;
        try (Session session = streams.exec(id, new ExecRequest(List.of("streams-nothing"), selection), collected)) {
            EngineException failure = CollectingSink.failureOf(session);
            assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
            assertThat(failure)
                    .hasMessageContaining("exec: \"streams-nothing\": executable file not found in $PATH")
                    .hasMessageNotContaining("\n");
        }
        try (Session session = streams.exec(id, new ExecRequest(List.of("/etc"), selection), collected)) {
            assertThat(CollectingSink.failureOf(session)).hasMessageContaining("permission denied");
        }
        assertThat(collected.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {126, 127})
    void exec_processPrintsEngineError_isNotAFailure(int code) throws Exception {
        try (Session session = shell(OUTPUT, collected, "printf 'OCI runtime exec failed\\r\\n'; exit " + code)) {
            assertThat(CollectingSink.codeOf(session)).isEqualTo(code);
        }
        assertThat(collected.out()).isEqualTo("OCI runtime exec failed\r\n");
    }

    @Test
    void exec_containerStoppedOrRemoved_isRejected() throws Exception {
        ExecRequest request = new ExecRequest(List.of("true"), OUTPUT);
        String own = engine.ended("true");
        assertThatThrownBy(() -> streams.exec(own, request, collected))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT))
                .hasMessageContaining(own)
                .hasMessageContaining("is not running");
        engine.remove(own);
        assertThatThrownBy(() -> streams.exec(own, request, collected))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND))
                .hasMessage("No such container: " + own);
    }

    @Test
    void exec_containerKilled_endsWithItsExitCode() throws Exception {
        String own = engine.running("sleep 1000");
        ExecRequest request = new ExecRequest(List.of("sh", "-c", "echo begun; sleep 1000"), INPUT);
        try (Session session = streams.exec(own, request, collected)) {
            collected.awaitOut("begun\n");
            engine.kill(own);
            assertThat(CollectingSink.codeOf(session)).isEqualTo(137);
        }
    }

    @Test
    void exec_sessionClosed_processContinues() throws Exception {
        Session session = shell(OUTPUT, collected, "echo begun; usleep 300000; echo there > /tmp/mark");
        collected.awaitOut("begun\n");
        session.close();
        CollectingSink.awaitNoThreads("mooring-stream-exec");

        CollectingSink other = new CollectingSink();
        try (Session check = shell(OUTPUT, other, "while ! [ -s /tmp/mark ]; do usleep 10000; done; cat /tmp/mark")) {
            assertThat(CollectingSink.codeOf(check)).isZero();
        }
        assertThat(other.out()).isEqualTo("there\n");
    }

    @Test
    void exec_sessionClosed_unblocksWriter() throws Exception {
        Session session = shell(INPUT, collected, "echo begun; sleep 1000");
        collected.awaitOut("begun\n");
        CountDownLatch begun = new CountDownLatch(1);
        EngineException[] thrown = new EngineException[1];
        Thread writer = new Thread(() -> {
            try {
                begun.countDown();
                session.writeInput(new byte[64 << 20]);
            } catch (EngineException e) {
                thrown[0] = e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        writer.start();
        begun.await();

        session.close();

        writer.join();
        assertThat(thrown[0].kind()).isEqualTo(Kind.CONFLICT);
    }
}
