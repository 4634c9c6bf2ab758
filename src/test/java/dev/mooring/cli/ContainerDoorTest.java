package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.container.ContainerAccess;
import dev.mooring.api.container.ContainerAccess.Session;
import dev.mooring.api.container.ContainerAccess.Source;
import dev.mooring.api.container.ContainerAccess.Streams;
import dev.mooring.api.container.ContainerAccessException;
import dev.mooring.api.container.ContainerAccessException.Kind;
import dev.mooring.api.container.ContainerRef;
import dev.mooring.api.container.LogWish;
import dev.mooring.cli.ContainerDoor.Attempt;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.EngineException;
import dev.mooring.testing.Patience;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class ContainerDoorTest {
    private static final LogWish ALL = new LogWish(Optional.empty(), OptionalLong.of(1L << 40), false, false);
    private static final Streams PLAIN = new Streams(true, true, true, false);

    private final Engine engine = new Engine();
    private final ContainerDoor door = new ContainerDoor("here", engine, ContainerDoorTest::find, 2);

    @AfterEach
    void close() {
        door.close();
    }

    private static Optional<ContainerFacts> find(String podUid, String container, Attempt attempt) {
        String id = attempt == Attempt.CURRENT ? "new" : "old";
        Instant now = Instant.EPOCH;
        return podUid.equals("u") && container.equals("c")
                ? Optional.of(new ContainerFacts(
                        id,
                        id,
                        "",
                        "",
                        Map.of(),
                        ContainerFacts.State.RUNNING,
                        now,
                        Optional.of(now),
                        Optional.empty(),
                        0,
                        false,
                        "",
                        ""))
                : Optional.empty();
    }

    private static ContainerRef ref(String node, String uid, String id) {
        return new ContainerRef(node, "n", "p", uid, "c", id);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private static ContainerAccessException failure(CompletionStage<?> stage) throws Exception {
        try {
            stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
            throw new AssertionError("Expected a failure, but it went well");
        } catch (ExecutionException e) {
            return (ContainerAccessException) e.getCause();
        }
    }

    @ParameterizedTest
    @CsvSource({"'', new", "docker://new, new", "docker://old, old"})
    void findsTheContainerThatThePodsStatusNames(String id, String expected) throws Exception {
        get(door.logs(ref("here", "u", id), ALL, (source, bytes) -> CompletableFuture.completedStage(null)));
        assertThat(engine.asked.take()).isEqualTo("logs " + expected + " OptionalInt[2147483647] on mooring-door");
    }

    @ParameterizedTest
    @CsvSource({
        "here, u, docker://foreign, GONE",
        "here, other, docker://new, GONE",
        "there, u, docker://new, UNREACHABLE"
    })
    void touchesNoOther(String node, String uid, String id, Kind kind) throws Exception {
        ContainerRef other = ref(node, uid, id);
        assertThat(door.refusal(other))
                .get()
                .extracting(ContainerAccessException::kind)
                .isEqualTo(kind);
        assertThat(failure(door.exec(other, List.of("x"), PLAIN, null)).kind()).isEqualTo(kind);
        assertThat(engine.asked).isEmpty();
    }

    @Test
    void bringsOutputAndWaitsForRoom() throws Exception {
        CompletableFuture<Void> room = new CompletableFuture<>();
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        ContainerAccess.Outlet outlet = (source, bytes) -> {
            seen.add(source + " " + bytes.length);
            return room;
        };
        get(door.exec(ref("here", "u", ""), List.of("x"), PLAIN, outlet));
        CompletableFuture<Void> output = CompletableFuture.runAsync(() -> engine.output(new byte[3]));
        assertThat(seen.take()).isEqualTo(Source.STDERR + " 3");
        assertThat(output).isNotDone();
        room.complete(null);
        output.get(20, TimeUnit.SECONDS);
    }

    @Test
    void whoWantsNoMoreMakesTheEngineStop() throws Exception {
        get(door.exec(
                ref("here", "u", ""),
                List.of("x"),
                PLAIN,
                (source, bytes) -> CompletableFuture.failedStage(new java.io.IOException("enough"))));
        assertThat(CompletableFuture.runAsync(() -> engine.output(new byte[3])))
                .failsWithin(20, TimeUnit.SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("enough");
    }

    @Test
    void inputGoesInOrderOneAfterAnother() throws Exception {
        Session session = get(door.attach(ref("here", "u", ""), PLAIN, null));
        engine.asked.clear();
        CompletionStage<Void> first = session.input(new byte[1]);
        CompletionStage<Void> second = session.input(new byte[2]);
        CompletionStage<Void> size = session.resize(80, 24);
        assertThat(engine.asked.take()).isEqualTo("input 1");
        assertThat(first.toCompletableFuture()).isNotDone();
        assertThat(engine.asked).isEmpty();
        engine.room.release(3);
        get(size);
        assertThat(second.toCompletableFuture()).isDone();
        assertThat(engine.asked).containsExactly("input 2", "resize 80x24");
    }

    @Test
    void thereAreOnlySoManySessionsUntilOneEndsOrIsClosed() throws Exception {
        Session first = get(door.attach(ref("here", "u", ""), PLAIN, null));
        get(door.attach(ref("here", "u", ""), PLAIN, null));
        assertThat(failure(door.attach(ref("here", "u", ""), PLAIN, null)))
                .hasMessage(
                        "Expected at most 2 logs, execs and attaches at once, but there are as many; try again later");
        assertThat(door.refusal(ref("here", "u", "")))
                .get()
                .extracting(ContainerAccessException::kind)
                .isEqualTo(Kind.BUSY);
        first.close();
        first.close();
        assertThat(engine.closed.take()).isEqualTo("closed");
        Patience.until(() -> door.refusal(ref("here", "u", "")).isEmpty());
        get(door.attach(ref("here", "u", ""), PLAIN, null));
        assertThat(door.refusal(ref("here", "u", ""))).isPresent();
        engine.ended.complete(0);
        assertThat(door.refusal(ref("here", "u", ""))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "UNREACHABLE, UNREACHABLE, words",
        "TOO_SLOW, UNREACHABLE, words",
        "NOT_FOUND, GONE, words",
        "REFUSED, FAILED, error executing command in container: words",
        "FAILED, FAILED, words"
    })
    void saysWhatTheEngineSays(EngineException.Kind engines, Kind kind, String message) throws Exception {
        EngineException wrong = new EngineException(engines, "words");
        Session session = get(door.exec(ref("here", "u", ""), List.of("x"), PLAIN, null));
        engine.ended.completeExceptionally(wrong);
        assertThat(failure(session.ended()))
                .hasMessage(message)
                .extracting("kind")
                .isEqualTo(kind);
        engine.wrong = wrong;
        assertThat(failure(door.exec(ref("here", "u", ""), List.of("x"), PLAIN, null)))
                .hasMessage(message)
                .extracting("kind")
                .isEqualTo(kind);
    }

    /** Keeps what it was asked. */
    private static final class Engine implements ContainerStreams, ContainerStreams.Session {
        private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> closed = new LinkedBlockingQueue<>();
        private final java.util.concurrent.Semaphore room = new java.util.concurrent.Semaphore(0);
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        private volatile EngineException wrong;
        private volatile Sink sink;

        void output(byte[] bytes) {
            try {
                sink.output(Channel.STDERR, bytes);
            } catch (java.io.IOException | InterruptedException e) {
                throw new IllegalStateException(e.getMessage(), e);
            }
        }

        @Override
        public ContainerStreams.Session logs(String id, LogRequest request, Sink to) throws EngineException {
            return open("logs " + id + " " + request.tail(), to);
        }

        @Override
        public ContainerStreams.Session exec(String id, ExecRequest request, Sink to) throws EngineException {
            return open("exec " + id + " " + request.command(), to);
        }

        @Override
        public ContainerStreams.Session attach(String id, Wanted wanted, Sink to) throws EngineException {
            return open("attach " + id, to);
        }

        private ContainerStreams.Session open(String what, Sink to) throws EngineException {
            if (wrong != null) {
                throw wrong;
            }
            sink = to;
            asked.add(what + " on " + Thread.currentThread().getName().replaceFirst("-[0-9]+$", ""));
            return this;
        }

        @Override
        public void input(byte[] bytes) throws InterruptedException {
            asked.add("input " + bytes.length);
            room.acquire();
        }

        @Override
        public void endInput() {
            asked.add("end");
        }

        @Override
        public void resize(int columns, int rows) {
            asked.add("resize " + columns + "x" + rows);
        }

        @Override
        public CompletionStage<Integer> ended() {
            return ended;
        }

        @Override
        public void close() {
            closed.add("closed");
        }
    }
}
