package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.container.ContainerAccess;
import dev.mooring.api.container.ContainerAccess.ContainerAccessException.AccessFailureReason;
import dev.mooring.api.container.ContainerAccess.ContainerAccessSession;
import dev.mooring.api.container.ContainerAccess.OutputSource;
import dev.mooring.api.container.ContainerAccess.Streams;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerStreams;
import dev.mooring.runtime.EngineException;
import dev.mooring.server.LocalContainerAccess.ContainerInstance;
import dev.mooring.testing.ConditionPoller;
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

@Timeout(180)
class LocalContainerAccessTest {
    private static final ContainerAccess.LogQuery ALL =
            new ContainerAccess.LogQuery(Optional.empty(), OptionalLong.of(1L << 40), false, false);
    private static final Streams PLAIN = new Streams(true, true, true, false);

    private final FakeContainerStreams engine = new FakeContainerStreams();
    private final LocalContainerAccess access =
            new LocalContainerAccess("here", engine, LocalContainerAccessTest::find, 2);

    @AfterEach
    void close() {
        access.close();
    }

    private static Optional<ContainerFacts> find(String podUid, String container, ContainerInstance attempt) {
        String id = attempt == ContainerInstance.CURRENT ? "new" : "old";
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

    private static ContainerAccess.ContainerRef ref(String node, String uid, String id) {
        return new ContainerAccess.ContainerRef(node, "n", "p", uid, "c", id);
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static ContainerAccess.ContainerAccessException failure(CompletionStage<?> stage) throws Exception {
        try {
            stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
            throw new AssertionError("Expected a failure, but the call succeeded");
        } catch (ExecutionException e) {
            return (ContainerAccess.ContainerAccessException) e.getCause();
        }
    }

    @ParameterizedTest
    @CsvSource({"'', new", "docker://new, new", "docker://old, old"})
    void logs_containerIdOfPodStatus_readsThatContainer(String id, String expected) throws Exception {
        get(access.logs(ref("here", "u", id), ALL, (source, bytes) -> CompletableFuture.completedStage(null)));
        assertThat(engine.calls.take())
                .isEqualTo("logs " + expected + " OptionalInt[2147483647] on mooring-container-access");
    }

    @ParameterizedTest
    @CsvSource({
        "here, u, docker://foreign, GONE",
        "here, other, docker://new, GONE",
        "there, u, docker://new, UNREACHABLE"
    })
    void exec_foreignContainerPodOrNode_isRejectedWithoutEngineCall(
            String node, String uid, String id, AccessFailureReason reason) throws Exception {
        ContainerAccess.ContainerRef other = ref(node, uid, id);
        assertThat(access.refusal(other))
                .get()
                .extracting(ContainerAccess.ContainerAccessException::reason)
                .isEqualTo(reason);
        assertThat(failure(access.exec(other, List.of("x"), PLAIN, null)).reason())
                .isEqualTo(reason);
        assertThat(engine.calls).isEmpty();
    }

    @Test
    void output_sinkNotReady_blocksTheEngineUntilItIs() throws Exception {
        CompletableFuture<Void> room = new CompletableFuture<>();
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        ContainerAccess.OutputSink sink = (source, bytes) -> {
            seen.add(source + " " + bytes.length);
            return room;
        };
        get(access.exec(ref("here", "u", ""), List.of("x"), PLAIN, sink));
        CompletableFuture<Void> output = CompletableFuture.runAsync(() -> engine.output(new byte[3]));
        assertThat(seen.take()).isEqualTo(OutputSource.STDERR + " 3");
        assertThat(output).isNotDone();
        room.complete(null);
        output.get(60, TimeUnit.SECONDS);
    }

    @Test
    void output_sinkFails_stopsTheEngineStream() throws Exception {
        get(access.exec(
                ref("here", "u", ""),
                List.of("x"),
                PLAIN,
                (source, bytes) -> CompletableFuture.failedStage(new java.io.IOException("enough"))));
        assertThat(CompletableFuture.runAsync(() -> engine.output(new byte[3])))
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("enough");
    }

    @Test
    void input_severalWrites_areSentInOrderOneAtATime() throws Exception {
        ContainerAccessSession session = get(access.attach(ref("here", "u", ""), PLAIN, null));
        engine.calls.clear();
        CompletionStage<Void> first = session.input(new byte[1]);
        CompletionStage<Void> second = session.input(new byte[2]);
        CompletionStage<Void> size = session.resize(80, 24);
        assertThat(engine.calls.take()).isEqualTo("input 1");
        assertThat(first.toCompletableFuture()).isNotDone();
        assertThat(engine.calls).isEmpty();
        engine.room.release(3);
        get(size);
        assertThat(second.toCompletableFuture()).isDone();
        assertThat(engine.calls).containsExactly("input 2", "resize 80x24");
    }

    @Test
    void session_limitReached_isRejectedUntilOneEndsOrCloses() throws Exception {
        ContainerAccessSession first = get(access.attach(ref("here", "u", ""), PLAIN, null));
        get(access.attach(ref("here", "u", ""), PLAIN, null));
        assertThat(failure(access.attach(ref("here", "u", ""), PLAIN, null)))
                .hasMessage("The limit of 2 concurrent logs, exec and attach sessions is reached; try again later");
        assertThat(access.refusal(ref("here", "u", "")))
                .get()
                .extracting(ContainerAccess.ContainerAccessException::reason)
                .isEqualTo(AccessFailureReason.BUSY);
        first.close();
        first.close();
        assertThat(engine.closed.take()).isEqualTo("closed");
        ConditionPoller.until(() -> access.refusal(ref("here", "u", "")).isEmpty());
        get(access.attach(ref("here", "u", ""), PLAIN, null));
        assertThat(access.refusal(ref("here", "u", ""))).isPresent();
        engine.ended.complete(0);
        assertThat(access.refusal(ref("here", "u", ""))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "UNREACHABLE, UNREACHABLE, engine message",
        "TOO_SLOW, UNREACHABLE, engine message",
        "NOT_FOUND, GONE, engine message",
        "REFUSED, FAILED, error executing command in container: engine message",
        "FAILED, FAILED, engine message"
    })
    void exec_engineFails_reportsReasonAndEngineMessage(
            EngineException.Kind engineKind, AccessFailureReason reason, String message) throws Exception {
        EngineException engineFailure = new EngineException(engineKind, "engine message");
        ContainerAccessSession session = get(access.exec(ref("here", "u", ""), List.of("x"), PLAIN, null));
        engine.ended.completeExceptionally(engineFailure);
        assertThat(failure(session.exitCode()))
                .hasMessage(message)
                .extracting("reason")
                .isEqualTo(reason);
        engine.engineFailure = engineFailure;
        assertThat(failure(access.exec(ref("here", "u", ""), List.of("x"), PLAIN, null)))
                .hasMessage(message)
                .extracting("reason")
                .isEqualTo(reason);
    }

    /** Container streams that record each call and the thread it was made on. */
    private static final class FakeContainerStreams implements ContainerStreams, ContainerStreams.Session {
        private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> closed = new LinkedBlockingQueue<>();
        private final java.util.concurrent.Semaphore room = new java.util.concurrent.Semaphore(0);
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        private volatile EngineException engineFailure;
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
        public ContainerStreams.Session attach(String id, StreamSelection selection, Sink to) throws EngineException {
            return open("attach " + id, to);
        }

        private ContainerStreams.Session open(String call, Sink to) throws EngineException {
            if (engineFailure != null) {
                throw engineFailure;
            }
            sink = to;
            calls.add(call + " on " + Thread.currentThread().getName().replaceFirst("-[0-9]+$", ""));
            return this;
        }

        @Override
        public void writeInput(byte[] bytes) throws InterruptedException {
            calls.add("input " + bytes.length);
            room.acquire();
        }

        @Override
        public void closeInput() {
            calls.add("end");
        }

        @Override
        public void resize(int columns, int rows) {
            calls.add("resize " + columns + "x" + rows);
        }

        @Override
        public CompletionStage<Integer> exitCode() {
            return ended;
        }

        @Override
        public void close() {
            closed.add("closed");
        }
    }
}
