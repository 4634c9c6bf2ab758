package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.ContainerStreams.StreamSelection;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.EngineFixture.Console;
import dev.mooring.testing.RealEngine;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of attaching to containers of a real engine. */
@Timeout(300)
class AttachTest {
    static final StreamSelection INPUT = new StreamSelection(true, true, true, false);
    private static final StreamSelection OUTPUT = new StreamSelection(false, true, true, false);
    private static final StreamSelection TERMINAL = new StreamSelection(true, true, false, true);

    private final CollectingSink collected = new CollectingSink();
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

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void attach_inputClosed_endsWithTheContainer() throws Exception {
        String id = engine.running(Console.STDIN_ONCE, "sh", "-c", "cat; echo over >&2");
        try (Session session = streams.attach(id, INPUT, collected)) {
            session.writeInput(bytes("one\n"));
            collected.awaitOut("one\n");
            session.writeInput(bytes("two\n"));
            session.closeInput();

            assertThat(CollectingSink.codeOf(session)).isZero();
        }

        assertThat(collected.out()).isEqualTo("one\ntwo\n");
        assertThat(collected.err()).isEqualTo("over\n");
        engine.await(id);
        assertThat(engine.runs(id)).isFalse();
    }

    @Test
    void attach_inputClosedWithoutStdinOnce_keepsTheContainerRunning() throws Exception {
        String id = engine.running(Console.STDIN, "cat");
        try (Session first = streams.attach(id, INPUT, collected)) {
            first.writeInput(bytes("one\n"));
            first.closeInput();
            collected.awaitOut("one\n");
            assertThatThrownBy(() -> first.writeInput(bytes("more"))).isInstanceOf(EngineException.class);
            CollectingSink other = new CollectingSink();
            try (Session second = streams.attach(id, INPUT, other)) {
                second.writeInput(bytes("two\n"));
                other.awaitOut("two\n");
            }
            collected.awaitOut("two\n");
        }

        assertThat(engine.runs(id)).isTrue();
    }

    @Test
    void attach_sessionClosed_keepsTheContainerRunning() throws Exception {
        String id = engine.running("while true; do echo again; usleep 10000; done");
        Session session = streams.attach(id, OUTPUT, collected);
        collected.awaitOut("again\n");

        session.close();

        assertThat(CollectingSink.failureOf(session).kind()).isEqualTo(Kind.FAILED);
        CollectingSink.awaitNoThreads("mooring-stream-attach");
        CollectingSink again = new CollectingSink();
        try (Session other = streams.attach(id, OUTPUT, again)) {
            again.awaitOut("again\n");
            assertThat(engine.runs(id)).isTrue();
        }
    }

    @Test
    void attach_containerWithoutStdin_dropsInput() throws Exception {
        String id = engine.running("sleep 1000");
        try (Session session = streams.attach(id, INPUT, collected)) {
            for (int n = 0; n < 64; n++) {
                session.writeInput(new byte[1 << 20]);
            }
            session.closeInput();
            assertThat(session.exitCode().toCompletableFuture()).isNotDone();
            engine.kill(id);
            assertThat(CollectingSink.codeOf(session)).isZero();
        }
    }

    @Test
    void attach_terminal_isResizedAndItsInputCloses() throws Exception {
        String id = engine.running(Console.TTY, "sh", "-c", "while read line; do stty size; done; echo over");
        try (Session session = streams.attach(id, TERMINAL, collected)) {
            session.resize(123, 45);
            session.writeInput(bytes("\n"));
            collected.awaitOut("45 123\r\n");
            session.resize(99, 33);
            session.writeInput(bytes("\n"));
            collected.awaitOut("33 99\r\n");
            session.closeInput();
            assertThat(CollectingSink.codeOf(session)).isZero();
        }
        assertThat(collected.out()).endsWith("over\r\n");
    }

    @Test
    void attach_containerNotRunning_isRejected() throws Exception {
        String made = engine.created(Console.STDIN, "cat");
        String ended = engine.ended("true");

        for (String id : new String[] {made, ended}) {
            assertThatThrownBy(() -> streams.attach(id, INPUT, collected))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CONFLICT))
                    .hasMessage("Container " + id + " is not running");
        }
        assertThatThrownBy(() -> streams.attach("streams-missing", INPUT, collected))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.kind()).isEqualTo(Kind.NOT_FOUND));
    }
}
