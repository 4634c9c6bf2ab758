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

/** Containers that do what a test tells them to. */
final class FakeContainers implements ContainerAccess {
    private static final int SECONDS = 20;

    private final BlockingQueue<Opened> opened = new LinkedBlockingQueue<>();
    private volatile ContainerAccessException refusal;
    private volatile ContainerAccessException failure;

    /** Known at once. */
    void refuse(ContainerAccessException.Kind kind, String message) {
        refusal = new ContainerAccessException(kind, message);
    }

    /** Found out when it is tried. */
    void fail(ContainerAccessException.Kind kind, String message) {
        failure = new ContainerAccessException(kind, message);
    }

    void workAgain() {
        refusal = null;
        failure = null;
        opened.clear();
    }

    /** The next session a client has begun. */
    Opened next() throws InterruptedException {
        Opened next = opened.poll(SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("a session that began").isNotNull();
        return next;
    }

    boolean nothingBegan() {
        return opened.isEmpty();
    }

    @Override
    public Optional<ContainerAccessException> refusal(ContainerRef container) {
        return Optional.ofNullable(refusal);
    }

    @Override
    public CompletionStage<Session> logs(ContainerRef container, LogWish wish, Outlet outlet) {
        return open(new Opened(container, "logs " + wish, outlet));
    }

    @Override
    public CompletionStage<Session> exec(ContainerRef container, List<String> command, Streams streams, Outlet outlet) {
        return open(new Opened(container, "exec " + command + " " + streams, outlet));
    }

    @Override
    public CompletionStage<Session> attach(ContainerRef container, Streams streams, Outlet outlet) {
        return open(new Opened(container, "attach " + streams, outlet));
    }

    private CompletionStage<Session> open(Opened session) {
        ContainerAccessException wrong = refusal == null ? failure : refusal;
        if (wrong != null) {
            return CompletableFuture.failedFuture(wrong);
        }
        opened.add(session);
        return CompletableFuture.completedFuture(session);
    }

    /** One that is under way. */
    static final class Opened implements Session {
        private final ContainerRef container;
        private final String what;
        private final Outlet outlet;
        private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private volatile CompletionStage<Void> room = CompletableFuture.completedStage(null);

        private Opened(ContainerRef container, String what, Outlet outlet) {
            this.container = container;
            this.what = what;
            this.outlet = outlet;
        }

        ContainerRef container() {
            return container;
        }

        String what() {
            return what;
        }

        CompletionStage<Void> says(Source source, String text) {
            return outlet.output(source, text.getBytes(StandardCharsets.UTF_8));
        }

        CompletionStage<Void> says(Source source, byte[] bytes) {
            return outlet.output(source, bytes);
        }

        void ends(int code) {
            ended.complete(code);
        }

        void breaks(ContainerAccessException.Kind kind, String message) {
            ended.completeExceptionally(new ContainerAccessException(kind, message));
        }

        /** From now on input is taken when this is complete. */
        void takesInputWhen(CompletionStage<Void> ready) {
            room = ready;
        }

        /** The next thing the client did. */
        String call() throws InterruptedException {
            String call = calls.poll(SECONDS, TimeUnit.SECONDS);
            assertThat(call).as("something a client did").isNotNull();
            return call;
        }

        int callsWaiting() {
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
            return room;
        }

        @Override
        public CompletionStage<Void> endInput() {
            calls.add("end of input");
            return room;
        }

        @Override
        public CompletionStage<Void> resize(int columns, int rows) {
            calls.add("resize " + columns + "x" + rows);
            return room;
        }

        @Override
        public CompletionStage<Integer> ended() {
            return ended;
        }

        @Override
        public void close() {
            closed.complete(null);
        }
    }
}
