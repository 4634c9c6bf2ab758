package dev.mooring.runtime.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerRuntime.EventListener;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.RealEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a real engine's events, and of connections to it that break, hang or cannot be made. */
@Timeout(300)
class DockerEventsTest {
    private final DockerFixture docker = new DockerFixture();

    @AfterEach
    void cleanUp() throws Exception {
        docker.close();
    }

    @Test
    void watchEvents_reportsOnlyContainersOfTheInstance() throws Exception {
        RecordingListener listener = new RecordingListener();
        try (DockerFixture other = new DockerFixture();
                AutoCloseable subscription = docker.runtime.watchEvents(docker.instance, listener)) {
            other.created(other.spec("foreign"));
            String id = docker.created(docker.spec("watched").shell("true"));
            assertThat(listener.next()).isEqualTo(id);
            docker.runtime.start(id);
            assertThat(listener.next()).isEqualTo(id); // started
            assertThat(listener.next()).isEqualTo(id); // exited
            docker.runtime.remove(id);
            assertThat(listener.next()).isEqualTo(id);
            assertThat(listener.events).isEmpty();
        }
        assertThat(listener.failures).isEmpty();
    }

    @Test
    void watchEvents_containerCreatedImmediately_isReported() throws Exception {
        for (int i = 0; i < 5; i++) {
            RecordingListener listener = new RecordingListener();
            AutoCloseable subscription = docker.runtime.watchEvents(docker.instance, listener);
            String id = docker.created(docker.spec("quick" + i));

            while (!listener.next().equals(id)) {
                // skips events of the same second before
            }
            subscription.close();
        }
    }

    /** Docker 20.10 may report the kill after the end of the container, and then never in an inspection. */
    @Test
    void inspect_outOfMemoryReportedByAnEventOnly_isOomKilled(@TempDir Path directory) throws Exception {
        Map<String, Integer> exitCodes = Map.of("killed", 137, "survivor", 0, "stopped", 137);
        RecordingListener listener = new RecordingListener();
        try (FakeDockerServer engine = new FakeDockerServer(directory, (request, caller) -> {
                    if (request.contains("/events")) {
                        caller.say("HTTP/1.1 200 OK\r\n\r\n");
                        caller.say(event("die", "stopped") + event("oom", "survivor") + event("oom", "killed"));
                        Thread.sleep(Long.MAX_VALUE); // the stream stays open
                    }
                    for (Map.Entry<String, Integer> each : exitCodes.entrySet()) {
                        if (request.contains("/containers/" + each.getKey() + "/json")) {
                            caller.json(
                                    200,
                                    "{\"Id\":\"" + each.getKey() + "\",\"State\":{\"Status\":\"exited\",\"ExitCode\":"
                                            + each.getValue() + ",\"OOMKilled\":false}}");
                        }
                    }
                    caller.json(200, "{}");
                });
                DockerRuntime runtime = DockerRuntime.connect(
                        new DockerSettings(engine.host(), Optional.empty(), Duration.ofMinutes(1)));
                AutoCloseable subscription = runtime.watchEvents("x", listener)) {
            while (!listener.next().equals("killed")) {
                // skips the events before
            }

            for (String id : exitCodes.keySet()) {
                assertThat(runtime.inspect(id).orElseThrow().oomKilled()).as(id).isEqualTo(id.equals("killed"));
            }
        }
    }

    private static String event(String action, String id) {
        return "{\"Type\":\"container\",\"Action\":\"" + action + "\",\"Actor\":{\"ID\":\"" + id + "\"}}\n";
    }

    @Test
    void watchEvents_listenerThrows_getsTheNextEvent() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        EventListener failing = new EventListener() {
            @Override
            public void onEvent(String id) {
                events.add(id);
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void onStreamEnded(EngineException why) {}
        };
        try (AutoCloseable subscription = docker.runtime.watchEvents(docker.instance, failing)) {
            docker.created(docker.spec("one"));
            docker.created(docker.spec("two"));
            assertThat(events.poll(60, TimeUnit.SECONDS)).isNotNull();
            assertThat(events.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void connections_lost_areReportedOnceAndReopened(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofSeconds(60))) {
            RecordingListener listener = new RecordingListener();
            runtime.watchEvents(docker.instance, listener);
            runtime.list(docker.instance);
            runtime.warmUp();
            proxy.breakAll();

            assertThat(listener.end().kind()).isEqualTo(Kind.UNREACHABLE);
            assertThat(listener.failures.get(0))
                    .hasMessageContaining(proxy.host())
                    .hasMessageContaining("was lost");
            // All connections that were kept are dead: none of the calls shows it.
            String id = runtime.create(docker.spec("back").shell("sleep 1000").spec());
            runtime.start(id);
            assertThat(runtime.list(docker.instance)).hasSize(1);
            proxy.breakAll();
            runtime.stop(id, Duration.ZERO);
            proxy.breakAll();
            runtime.remove(id);
            assertThat(runtime.list(docker.instance)).isEmpty();
            assertThat(listener.failures).hasSize(1);
        }
    }

    @Test
    void connections_sequentialCalls_areReused(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofSeconds(60))) {
            for (int i = 0; i < 20; i++) {
                runtime.info();
                runtime.list(docker.instance);
                assertThat(runtime.inspect("docker-test-missing")).isEmpty();
            }
            assertThat(proxy.accepted()).isEqualTo(1);
        }
    }

    @Test
    void watchEvents_closed_reportsNoEnd(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofSeconds(60))) {
            RecordingListener listener = new RecordingListener();
            runtime.watchEvents(docker.instance, listener).close();
            proxy.breakAll();
            assertThat(runtime.info().name()).isEqualTo("docker");
            assertThat(listener.failures).isEmpty();
        }
    }

    @Test
    void inspect_engineDoesNotRespond_isTooSlow(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofMillis(200))) {
            proxy.keepSilent();

            EngineException slow = catchThrowableOfType(EngineException.class, () -> runtime.inspect("some"));

            assertThat(slow.kind()).isEqualTo(Kind.TOO_SLOW);
            assertThat(slow)
                    .hasMessage("the Docker daemon at " + proxy.host()
                            + " did not respond to GET /containers/some/json within 0.2 seconds");
        }
    }

    @Test
    void list_inspectHangs_fallsBackToTheSummary(@TempDir Path directory) throws Exception {
        String responsive = docker.created(docker.spec("responsive"));
        List<String> hanging = List.of(
                docker.created(docker.spec("made")),
                docker.running(docker.spec("runs").shell("sleep 1000")),
                docker.running(docker.spec("exits").shell("exit 7")));
        docker.await(hanging.get(2));
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofSeconds(60))) {
            hanging.forEach(id -> proxy.drop("/containers/" + id + "/json"));

            Map<String, ContainerFacts> listed = runtime.list(docker.instance).stream()
                    .collect(Collectors.toMap(ContainerFacts::id, Function.identity()));

            assertThat(listed).hasSize(4).containsEntry(responsive, docker.facts(responsive));
            for (String id : hanging) {
                ContainerFacts facts = docker.facts(id);
                assertThat(listed.get(id))
                        .isEqualTo(new ContainerFacts(
                                id,
                                facts.name(),
                                facts.image(),
                                facts.imageId(),
                                facts.labels(),
                                facts.state(),
                                facts.created().truncatedTo(ChronoUnit.SECONDS),
                                Optional.empty(),
                                Optional.empty(),
                                facts.exitCode(),
                                false,
                                "",
                                facts.address()));
            }
            assertThat(listed.get(hanging.get(2)).exitCode()).isEqualTo(7);
        }
    }

    @Test
    void stop_interrupted_throwsInterruptedException(@TempDir Path directory) throws Exception {
        try (SocketProxy proxy = proxy(directory);
                DockerRuntime runtime = through(proxy, Duration.ofMinutes(10))) {
            proxy.keepSilent();
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                assertThatThrownBy(() -> runtime.stop("some", Duration.ofMinutes(10)))
                        .isInstanceOf(InterruptedException.class);
                return true;
            });
            Thread thread = new Thread(task);
            thread.start();
            ConditionPoller.until(() -> proxy.accepted() > 0);
            thread.interrupt();
            assertThat(task.get(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void info_socketMissing_isUnreachableImmediately(@TempDir Path directory) throws Exception {
        String host = "unix://" + directory.resolve("missing.sock");
        try (DockerRuntime runtime =
                DockerRuntime.connect(new DockerSettings(host, Optional.empty(), Duration.ofMinutes(10)))) {
            runtime.warmUp();
            for (int i = 0; i < 3; i++) {
                EngineException absent = catchThrowableOfType(EngineException.class, runtime::info);
                assertThat(absent.kind()).isEqualTo(Kind.UNREACHABLE);
                assertThat(absent)
                        .hasMessage("cannot connect to the Docker daemon at " + host
                                + ": No such file or directory. Is the docker daemon running?");
            }
            assertThat(catchThrowableOfType(
                                    EngineException.class, () -> runtime.watchEvents("x", new RecordingListener()))
                            .kind())
                    .isEqualTo(Kind.UNREACHABLE);
        }
    }

    @Test
    void info_runtimeClosed_isUnreachable() {
        DockerRuntime runtime = DockerRuntime.connect(docker.settings);
        runtime.close();

        assertThat(catchThrowableOfType(EngineException.class, runtime::info).kind())
                .isEqualTo(Kind.UNREACHABLE);
    }

    private static SocketProxy proxy(Path directory) throws Exception {
        return new SocketProxy(directory.resolve("p.sock"), RealEngine.shared().socket());
    }

    private static DockerRuntime through(SocketProxy proxy, Duration deadline) {
        return DockerRuntime.connect(new DockerSettings(proxy.host(), Optional.empty(), deadline));
    }

    private static final class RecordingListener implements EventListener {
        private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
        private final BlockingQueue<EngineException> pendingFailures = new LinkedBlockingQueue<>();
        private final List<EngineException> failures = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(String id) {
            events.add(id);
        }

        @Override
        public void onStreamEnded(EngineException why) {
            failures.add(why);
            pendingFailures.add(why);
        }

        String next() throws InterruptedException {
            return Optional.ofNullable(events.poll(60, TimeUnit.SECONDS)).orElseThrow();
        }

        EngineException end() throws InterruptedException {
            return Optional.ofNullable(pendingFailures.poll(60, TimeUnit.SECONDS))
                    .orElseThrow();
        }
    }
}
