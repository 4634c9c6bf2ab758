package dev.mooring.runtime.docker.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.ContainerStreams.Wanted;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.stream.EngineFixture.Console;
import dev.mooring.testing.RealEngine;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Joining a real engine's containers. */
@Timeout(120)
class AttachTest {
    static final Wanted INPUT = new Wanted(true, true, true, false);
    private static final Wanted OUTPUT = new Wanted(false, true, true, false);
    private static final Wanted TERMINAL = new Wanted(true, true, false, true);

    private final Collected collected = new Collected();
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
        Collected.awaitNoThreads("mooring-stream-");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void endsWhenTheContainerReadsTheEndOfItsInput() throws Exception {
        String id = engine.running(Console.STDIN_ONCE, "sh", "-c", "cat; echo over >&2");
        try (Session session = streams.attach(id, INPUT, collected)) {
            session.input(bytes("one\n"));
            collected.awaitOut("one\n");
            session.input(bytes("two\n"));
            session.endInput();

            assertThat(Collected.codeOf(session)).isZero();
        }

        assertThat(collected.out()).isEqualTo("one\ntwo\n");
        assertThat(collected.err()).isEqualTo("over\n");
        engine.await(id);
        assertThat(engine.runs(id)).isFalse();
    }

    @Test
    void leavesAContainerWhoseInputLastsAsItIs() throws Exception {
        String id = engine.running(Console.STDIN, "cat");
        try (Session first = streams.attach(id, INPUT, collected)) {
            first.input(bytes("one\n"));
            first.endInput();
            collected.awaitOut("one\n");
            assertThatThrownBy(() -> first.input(bytes("more"))).isInstanceOf(EngineException.class);
            Collected other = new Collected();
            try (Session second = streams.attach(id, INPUT, other)) {
                second.input(bytes("two\n"));
                other.awaitOut("two\n");
            }
            collected.awaitOut("two\n");
        }

        assertThat(engine.runs(id)).isTrue();
    }

    @Test
    void leavesAContainerRunningWhenItLetsGo() throws Exception {
        String id = engine.running("while true; do echo again; usleep 10000; done");
        Session session = streams.attach(id, OUTPUT, collected);
        collected.awaitOut("again\n");

        session.close();

        assertThat(Collected.failureOf(session).kind()).isEqualTo(Kind.FAILED);
        Collected.awaitNoThreads("mooring-stream-attach");
        Collected again = new Collected();
        try (Session other = streams.attach(id, OUTPUT, again)) {
            again.awaitOut("again\n");
            assertThat(engine.runs(id)).isTrue();
        }
    }

    @Test
    void dropsInputOfAContainerThatHasNone() throws Exception {
        String id = engine.running("sleep 1000");
        try (Session session = streams.attach(id, INPUT, collected)) {
            for (int n = 0; n < 64; n++) {
                session.input(new byte[1 << 20]);
            }
            session.endInput();
            assertThat(session.ended().toCompletableFuture()).isNotDone();
            engine.kill(id);
            assertThat(Collected.codeOf(session)).isZero();
        }
    }

    @Test
    void givesATerminalItsSizeAndItsEnd() throws Exception {
        String id = engine.running(Console.TTY, "sh", "-c", "while read line; do stty size; done; echo over");
        try (Session session = streams.attach(id, TERMINAL, collected)) {
            session.resize(123, 45);
            session.input(bytes("\n"));
            collected.awaitOut("45 123\r\n");
            session.resize(99, 33);
            session.input(bytes("\n"));
            collected.awaitOut("33 99\r\n");
            session.endInput();
            assertThat(Collected.codeOf(session)).isZero();
        }
        assertThat(collected.out()).endsWith("over\r\n");
    }

    @Test
    void refusesAContainerThatDoesNotRun() throws Exception {
        String made = engine.created(Console.STDIN, "cat");
        String ended = engine.ended("true");

        for (String id : new String[] {made, ended}) {
            assertThatThrownBy(() -> streams.attach(id, INPUT, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT))
                    .hasMessage("Container " + id + " is not running");
        }
        assertThatThrownBy(() -> streams.attach("streams-nobody", INPUT, collected))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }
}
