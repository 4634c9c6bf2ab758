package dev.mooring.runtime.docker;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.ContainerStreams.ExecRequest;
import dev.mooring.runtime.ContainerStreams.LogRequest;
import dev.mooring.runtime.ContainerStreams.Session;
import dev.mooring.runtime.ContainerStreams.Sink;
import dev.mooring.runtime.ContainerStreams.Wanted;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.Labels;
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

/** A runtime on a real engine for one test, with what the port has no need for; all of its containers go when it is closed. */
final class Quay implements AutoCloseable {
    static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final String instance = "docker-test-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
    final DockerSettings settings = new DockerSettings(RealEngine.shared().host(), Optional.empty(), DEADLINE);
    final DockerRuntime runtime = DockerRuntime.connect(settings);
    private final EngineLines lines = EngineLines.of(settings);

    String name(String part) {
        return instance + "_" + part;
    }

    SpecBuilder spec(String part) {
        return new SpecBuilder(name(part), Map.of(Labels.INSTANCE, instance, "part", part));
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

    /** What it wrote until it ended. */
    String output(SpecBuilder spec) throws Exception {
        String id = running(spec);
        await(id);
        return logs(id);
    }

    ContainerFacts facts(String id) throws EngineException, InterruptedException {
        return runtime.inspect(id).orElseThrow();
    }

    ContainerFacts await(String id) throws EngineException, InterruptedException {
        lines.waiting().ask(Call.post(Call.container(id) + "/wait"), DEADLINE).orFail();
        return facts(id);
    }

    String logs(String id) throws Exception {
        Buffer out = new Buffer();
        LogRequest all = new LogRequest(Optional.empty(), OptionalInt.empty(), false, false);
        try (Session session = runtime.logs(id, all, out)) {
            session.ended().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
        return out.text();
    }

    String exec(String id, String script) throws Exception {
        Buffer out = new Buffer();
        ExecRequest request = new ExecRequest(List.of("sh", "-c", script), new Wanted(false, true, true, false));
        try (Session session = runtime.exec(id, request, out)) {
            session.ended().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
        return out.text();
    }

    /** As the engine has it. */
    Answer raw(Call call) throws EngineException, InterruptedException {
        return lines.doing().ask(call, DEADLINE);
    }

    @Override
    public void close() throws EngineException, InterruptedException {
        for (ContainerFacts left : runtime.list(instance)) {
            runtime.remove(left.id());
        }
        runtime.close();
        lines.close();
    }

    private static final class Buffer implements Sink {
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
