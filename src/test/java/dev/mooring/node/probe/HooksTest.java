package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.monitor.NodeControllersFixture;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.EngineException;
import dev.mooring.world.World;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests postStart and preStop hooks. */
class HooksTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final ExecutorService threads = WorkContext.newThreads();
    private final FakeExecRuntime engine = new FakeExecRuntime();
    private final Hooks hooks = new Hooks(
            engine,
            new WorkContext(new NodeControllersFixture(""), Clock.systemUTC(), Schedulers.computation(), threads));

    @AfterEach
    void close() {
        hooks.close();
        threads.shutdownNow();
    }

    private static Pod pod(String preStop) {
        ObjectNode tree = WorldFixture.objects("{kind: Pod, metadata: {name: p, namespace: ns}, spec: {containers: ["
                        + "{name: a, lifecycle: {postStart: {exec: {command: [other]}}}},"
                        + "{name: c, ports: [{name: web, containerPort: 1}], lifecycle: {preStop: " + preStop + "}}]}}")
                .get(0);
        return Pod.of(WorldFixture.put(World.EMPTY, tree)
                .get(ObjectKey.namespaced("pods", "ns", "p"))
                .orElseThrow());
    }

    private void run(String preStop, Duration limit) throws Hooks.HookException, InterruptedException {
        Pod pod = pod(preStop);
        JsonNode handler =
                pod.spec().path("containers").path(1).path("lifecycle").path("preStop");
        hooks.run(pod, "id", "127.0.0.1", handler, limit);
    }

    /** Runs a hook whose command writes errors and exits with the code; returns its failure. */
    private Optional<Hooks.HookException> command(String errors, int code) throws Exception {
        CompletableFuture<Optional<Hooks.HookException>> outcome = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        run("{exec: {command: [sh, -c, bye]}}", LONG);
                        return Optional.empty();
                    } catch (Hooks.HookException e) {
                        return Optional.of(e);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                threads);
        FakeExecRuntime.FakeProcess process = engine.awaitFirst();
        process.write(Channel.STDOUT, "out ");
        process.write(Channel.STDERR, errors);
        process.exit(code);
        return outcome.get(60, TimeUnit.SECONDS);
    }

    @Test
    void execHook_commandSucceeds_succeeds() throws Exception {
        assertThat(command("", 0)).isEmpty();
        assertThat(engine.commands).containsExactly("id sh -c bye");
    }

    @Test
    void execHook_commandFails_failsWithItsOutput() throws Exception {
        assertThat(command("err", 3))
                .get()
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Hooks.HookException.Kind.FAILED))
                .extracting(Throwable::getMessage)
                .isEqualTo(
                        "Exec lifecycle hook ([sh -c bye]) for Container \"c\" in Pod \"p_ns(uid-p)\" failed - error: "
                                + "command 'sh -c bye' exited with 3: err, message: \"out err\"");
    }

    @Test
    void hook_exceedsLimit_timesOut() {
        assertThatThrownBy(() -> run("{exec: {command: [x]}}", Duration.ofMillis(50)))
                .isInstanceOfSatisfying(
                        Hooks.HookException.class,
                        e -> assertThat(e.kind()).isEqualTo(Hooks.HookException.Kind.TIMED_OUT));
        assertThatThrownBy(() -> run("{sleep: {seconds: 3600}}", Duration.ofMillis(50)))
                .isInstanceOfSatisfying(
                        Hooks.HookException.class,
                        e -> assertThat(e.kind()).isEqualTo(Hooks.HookException.Kind.TIMED_OUT));
    }

    @Test
    void sleepHook_waitsForItsSeconds() throws Exception {
        long start = System.nanoTime();

        run("{sleep: {seconds: 1}}", LONG);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(990));
    }

    @Test
    void execHook_engineRefuses_fails() {
        engine.execFailure = Optional.of(new EngineException(EngineException.Kind.CONFLICT, "is not running"));

        assertThatThrownBy(() -> run("{exec: {command: [x]}}", LONG))
                .hasMessage("Exec lifecycle hook ([x]) for Container \"c\" in Pod \"p_ns(uid-p)\" failed - error: "
                        + "is not running, message: \"\"");
    }

    @Test
    void httpHook_anyResponse_succeeds() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")) {
            run("{httpGet: {port: " + server.port() + ", path: /bye}}", LONG);

            assertThat(server.requests.take()).startsWith("GET /bye ").contains("User-Agent: kube-lifecycle/1.35");
        }
    }

    @Test
    void httpHook_noResponse_fails() throws Exception {
        try (FakeProbeServer server = new FakeProbeServer("")) {
            assertThatThrownBy(() -> run("{httpGet: {port: " + server.port() + ", path: /bye}}", LONG))
                    .hasMessage("HTTP lifecycle hook (/bye) for Container \"c\" in Pod \"p_ns(uid-p)\" failed - error: "
                            + "Get \"http://127.0.0.1:" + server.port() + "/bye\": EOF");
        }
        assertThatThrownBy(() -> run("{httpGet: {port: nosuch}}", LONG))
                .hasMessageEndingWith("failed - error: strconv.Atoi: parsing \"nosuch\": invalid syntax");
    }

    @Test
    void httpHook_serverWithoutTls_fallsBackToHttp() throws Exception {
        String plain = "HTTP/1.1 400 Bad Request\r\n\r\n";
        try (FakeProbeServer server =
                new FakeProbeServer(FakeProbeServer.FIRST + plain + FakeProbeServer.HANG, plain)) {
            run("{httpGet: {port: " + server.port() + ", scheme: HTTPS, path: /bye}}", LONG);

            assertThat(server.requests.take()).startsWith("GET /bye ");
        }
    }

    @Test
    void hook_unsupportedHandler_fails() {
        assertThatThrownBy(() -> run("{tcpSocket: {port: 80}}", LONG))
                .hasMessage("Cannot run handler: invalid handler: {\"tcpSocket\":{\"port\":80}}");
    }
}
