package dev.mooring.runtime.docker;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.ContainerStreams.ExecRequest;
import dev.mooring.runtime.ContainerStreams.LogRequest;
import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.ContainerStreams.Sink;
import dev.mooring.runtime.ContainerStreams.StreamSelection;
import dev.mooring.runtime.EngineException;
import dev.mooring.testing.RealEngine;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A runtime on a real engine for one test, with test-only calls; removes its containers when closed. */
final class DockerFixture implements AutoCloseable {
    static final Duration DEADLINE = Duration.ofSeconds(90);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final String instance = "docker-test-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
    final DockerSettings settings = new DockerSettings(RealEngine.shared().host(), Optional.empty(), DEADLINE);
    final DockerRuntime runtime = DockerRuntime.connect(settings);
    private final DockerConnectionPools pools = DockerConnectionPools.of(settings);

    String name(String part) {
        return instance + "_" + part;
    }

    SpecBuilder spec(String part) {
        return new SpecBuilder(name(part), Map.of(ContainerLabels.INSTANCE, instance, "part", part));
    }

    String created(SpecBuilder spec) throws EngineException, InterruptedException {
        return runtime.create(spec.spec());
    }

    String running(SpecBuilder spec) throws EngineException, InterruptedException {
        ContainerSpec made = spec.spec();
        String id = runtime.create(made);
        runtime.start(id);
        return id;
    }

    /** Runs the container to its end and returns its output. */
    String output(SpecBuilder spec) throws Exception {
        String id = running(spec);
        await(id);
        return logs(id);
    }

    ContainerFacts facts(String id) throws EngineException, InterruptedException {
        return runtime.inspect(id).orElseThrow();
    }

    ContainerFacts await(String id) throws EngineException, InterruptedException {
        pools.longCalls()
                .ask(DockerRequest.post(DockerRequest.container(id) + "/wait"), DEADLINE)
                .requireSuccess();
        return facts(id);
    }

    String logs(String id) throws Exception {
        BufferSink out = new BufferSink();
        LogRequest all = new LogRequest(Optional.empty(), OptionalInt.empty(), false, false);
        try (Session session = runtime.logs(id, all, out)) {
            session.exitCode().toCompletableFuture().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        }
        return out.text();
    }

    String exec(String id, String script) throws Exception {
        BufferSink out = new BufferSink();
        ExecRequest request =
                new ExecRequest(List.of("sh", "-c", script), new StreamSelection(false, true, true, false));
        try (Session session = runtime.exec(id, request, out)) {
            session.exitCode().toCompletableFuture().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
        }
        return out.text();
    }

    /** Sends a request to the engine and returns its raw response. */
    DockerResponse raw(DockerRequest call) throws EngineException, InterruptedException {
        return pools.changes().ask(call, DEADLINE);
    }

    @Override
    public void close() throws EngineException, InterruptedException {
        for (ContainerFacts left : runtime.list(instance)) {
            runtime.remove(left.id());
        }
        runtime.close();
        pools.close();
    }

    private static final class BufferSink implements Sink {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public synchronized void output(Channel channel, byte[] more) {
            bytes.writeBytes(more);
        }

        synchronized String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
