package dev.mooring.api.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Fake access to containers whose sessions the test controls. */
final class FakeContainerAccess implements ContainerAccess {
    private static final int SECONDS = 60;

    private final BlockingQueue<FakeSession> opened = new LinkedBlockingQueue<>();
    private volatile ContainerAccess.ContainerAccessException refusal;
    private volatile ContainerAccess.ContainerAccessException failure;

    /** Makes {@link #refusal} report this failure, before a session is opened. */
    void refuse(ContainerAccess.ContainerAccessException.AccessFailureReason kind, String message) {
        refusal = new ContainerAccess.ContainerAccessException(kind, message);
    }

    /** Makes opening a session fail. */
    void fail(ContainerAccess.ContainerAccessException.AccessFailureReason kind, String message) {
        failure = new ContainerAccess.ContainerAccessException(kind, message);
    }

    void reset() {
        refusal = null;
        failure = null;
        opened.clear();
    }

    /** Waits for and returns the next session that a client opened. */
    FakeSession nextSession() throws InterruptedException {
        FakeSession next = opened.poll(SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("session opened by a client").isNotNull();
        return next;
    }

    boolean hasNoSession() {
        return opened.isEmpty();
    }

    @Override
    public Optional<ContainerAccess.ContainerAccessException> refusal(ContainerAccess.ContainerRef container) {
        return Optional.ofNullable(refusal);
    }

    @Override
    public CompletionStage<ContainerAccessSession> logs(
            ContainerAccess.ContainerRef container, ContainerAccess.LogQuery query, OutputSink sink) {
        return open(new FakeSession(container, "logs " + query, sink));
    }

    @Override
    public CompletionStage<ContainerAccessSession> exec(
            ContainerAccess.ContainerRef container, List<String> command, Streams streams, OutputSink sink) {
        return open(new FakeSession(container, "exec " + command + " " + streams, sink));
    }

    @Override
    public CompletionStage<ContainerAccessSession> attach(
            ContainerAccess.ContainerRef container, Streams streams, OutputSink sink) {
        return open(new FakeSession(container, "attach " + streams, sink));
    }

    private CompletionStage<ContainerAccessSession> open(FakeSession session) {
        ContainerAccess.ContainerAccessException problem = refusal == null ? failure : refusal;
        if (problem != null) {
            return CompletableFuture.failedFuture(problem);
        }
        opened.add(session);
        return CompletableFuture.completedFuture(session);
    }

    /** An open session. */
    static final class FakeSession implements ContainerAccessSession {
        private final ContainerAccess.ContainerRef container;
        private final String description;
        private final OutputSink sink;
        private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private volatile CompletionStage<Void> inputReady = CompletableFuture.completedStage(null);

        private FakeSession(ContainerAccess.ContainerRef container, String description, OutputSink sink) {
            this.container = container;
            this.description = description;
            this.sink = sink;
        }

        ContainerAccess.ContainerRef container() {
            return container;
        }

        String description() {
            return description;
        }

        CompletionStage<Void> writeOutput(OutputSource source, String text) {
            return sink.output(source, text.getBytes(StandardCharsets.UTF_8));
        }

        CompletionStage<Void> writeOutput(OutputSource source, byte[] bytes) {
            return sink.output(source, bytes);
        }

        void exit(int code) {
            ended.complete(code);
        }

        void failWith(ContainerAccess.ContainerAccessException.AccessFailureReason kind, String message) {
            ended.completeExceptionally(new ContainerAccess.ContainerAccessException(kind, message));
        }

        /** Accepts further input only after this stage completes. */
        void acceptInputAfter(CompletionStage<Void> ready) {
            inputReady = ready;
        }

        /** Waits for and returns the next call of the client. */
        String nextCall() throws InterruptedException {
            String call = calls.poll(SECONDS, TimeUnit.SECONDS);
            assertThat(call).as("call of a client").isNotNull();
            return call;
        }

        int pendingCalls() {
            return calls.size();
        }

        void awaitClosed() throws Exception {
            closed.get(SECONDS, TimeUnit.SECONDS);
        }

        @Override
        public CompletionStage<Void> input(byte[] bytes) {
            calls.add(
                    bytes.length > 100
                            ? "input of " + bytes.length
                            : "input " + new String(bytes, StandardCharsets.UTF_8));
            return inputReady;
        }

        @Override
        public CompletionStage<Void> closeInput() {
            calls.add("end of input");
            return inputReady;
        }

        @Override
        public CompletionStage<Void> resize(int columns, int rows) {
            calls.add("resize " + columns + "x" + rows);
            return inputReady;
        }

        @Override
        public CompletionStage<Integer> exitCode() {
            return ended;
        }

        @Override
        public void close() {
            closed.complete(null);
        }
    }
}
