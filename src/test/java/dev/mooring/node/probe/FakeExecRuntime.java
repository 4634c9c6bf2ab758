package dev.mooring.node.probe;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.ImageFacts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A fake runtime that only runs commands; the test controls their output and end. */
final class FakeExecRuntime implements ContainerRuntime {
    /** Started commands, each with its container. */
    final List<String> commands = new ArrayList<>();
    /** Processes of the started commands. */
    final List<FakeProcess> running = new ArrayList<>();

    private final CompletableFuture<FakeProcess> first = new CompletableFuture<>();
    Optional<EngineException> execFailure = Optional.empty();

    /** A process that runs until the test ends it. */
    static final class FakeProcess implements Session {
        private final Sink sink;
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        boolean closed;

        FakeProcess(Sink sink) {
            this.sink = sink;
        }

        void write(Channel channel, String text) {
            try {
                sink.output(channel, text.getBytes(StandardCharsets.UTF_8));
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void exit(int code) {
            ended.complete(code);
        }

        void fail(EngineException cause) {
            ended.completeExceptionally(cause);
        }

        @Override
        public void writeInput(byte[] bytes) {}

        @Override
        public void closeInput() {}

        @Override
        public void resize(int columns, int rows) {}

        @Override
        public CompletionStage<Integer> exitCode() {
            return ended;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Override
    public synchronized Session exec(String id, ExecRequest request, Sink sink) throws EngineException {
        if (execFailure.isPresent()) {
            throw execFailure.get();
        }
        commands.add(id + ' ' + String.join(" ", request.command()));
        running.add(new FakeProcess(sink));
        first.complete(running.get(0));
        return last();
    }

    /** Waits until the first command is started. */
    FakeProcess awaitFirst() throws Exception {
        return first.get(60, TimeUnit.SECONDS);
    }

    synchronized FakeProcess last() {
        return running.get(running.size() - 1);
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("only exec is supported");
    }

    @Override
    public ContainerRuntime.EngineInfo info() {
        throw unsupported();
    }

    @Override
    public List<ContainerFacts> list(String instance) {
        throw unsupported();
    }

    @Override
    public Optional<ContainerFacts> inspect(String id) {
        throw unsupported();
    }

    @Override
    public String create(ContainerSpec spec) {
        throw unsupported();
    }

    @Override
    public void start(String id) {
        throw unsupported();
    }

    @Override
    public void stop(String id, Duration grace) {
        throw unsupported();
    }

    @Override
    public void remove(String id) {
        throw unsupported();
    }

    @Override
    public Optional<ImageFacts> image(String reference) {
        throw unsupported();
    }

    @Override
    public ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress) {
        throw unsupported();
    }

    @Override
    public ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint) {
        throw unsupported();
    }

    @Override
    public AutoCloseable watchEvents(String instance, EventListener listener) {
        throw unsupported();
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) {
        throw unsupported();
    }

    @Override
    public Session attach(String id, StreamSelection streams, Sink sink) {
        throw unsupported();
    }

    @Override
    public void close() {}
}
