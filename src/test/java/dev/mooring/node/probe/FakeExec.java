package dev.mooring.node.probe;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineInfo;
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

/** An engine that knows nothing but to run commands, which do what the test says. */
final class FakeExec implements ContainerRuntime {
    /** Commands that were begun, with the container. */
    final List<String> begun = new ArrayList<>();
    /** Those that run. */
    final List<Running> running = new ArrayList<>();

    private final CompletableFuture<Running> first = new CompletableFuture<>();
    Optional<EngineException> refusal = Optional.empty();

    /** One that runs until the test ends it. */
    static final class Running implements Session {
        private final Sink sink;
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        boolean closed;

        Running(Sink sink) {
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

        void breakOff(EngineException why) {
            ended.completeExceptionally(why);
        }

        @Override
        public void input(byte[] bytes) {}

        @Override
        public void endInput() {}

        @Override
        public void resize(int columns, int rows) {}

        @Override
        public CompletionStage<Integer> ended() {
            return ended;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Override
    public synchronized Session exec(String id, ExecRequest request, Sink sink) throws EngineException {
        if (refusal.isPresent()) {
            throw refusal.get();
        }
        begun.add(id + ' ' + String.join(" ", request.command()));
        running.add(new Running(sink));
        first.complete(running.get(0));
        return last();
    }

    /** The first one, when it is begun. */
    Running awaitFirst() throws Exception {
        return first.get(20, TimeUnit.SECONDS);
    }

    synchronized Running last() {
        return running.get(running.size() - 1);
    }

    private static UnsupportedOperationException no() {
        return new UnsupportedOperationException("Expected commands only");
    }

    @Override
    public EngineInfo info() {
        throw no();
    }

    @Override
    public List<ContainerFacts> list(String instance) {
        throw no();
    }

    @Override
    public Optional<ContainerFacts> inspect(String id) {
        throw no();
    }

    @Override
    public String create(ContainerSpec spec) {
        throw no();
    }

    @Override
    public void start(String id) {
        throw no();
    }

    @Override
    public void stop(String id, Duration grace) {
        throw no();
    }

    @Override
    public void remove(String id) {
        throw no();
    }

    @Override
    public Optional<ImageFacts> image(String reference) {
        throw no();
    }

    @Override
    public ImageFacts pull(String reference, Optional<Credentials> credentials, PullProgress progress) {
        throw no();
    }

    @Override
    public ImageFacts importImage(String reference, InputStream layer, List<String> entrypoint) {
        throw no();
    }

    @Override
    public AutoCloseable follow(String instance, Follower follower) {
        throw no();
    }

    @Override
    public Session logs(String id, LogRequest request, Sink sink) {
        throw no();
    }

    @Override
    public Session attach(String id, Wanted wanted, Sink sink) {
        throw no();
    }

    @Override
    public void close() {}
}
