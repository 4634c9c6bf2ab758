package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Worlds;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.usage.LookoutBench;
import dev.mooring.node.work.WorkParts;
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

/** What is run after a container's start and before its end. Waits for no longer than the hooks here ask for. */
class HooksTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final ExecutorService threads = WorkParts.newThreads();
    private final FakeExec engine = new FakeExec();
    private final Hooks hooks = new Hooks(
            engine, new WorkParts(new LookoutBench(""), Clock.systemUTC(), Schedulers.computation(), threads));

    @AfterEach
    void close() {
        hooks.close();
        threads.shutdownNow();
    }

    private static Pod pod(String preStop) {
        ObjectNode tree = Worlds.objects("{kind: Pod, metadata: {name: p, namespace: ns}, spec: {containers: ["
                        + "{name: a, lifecycle: {postStart: {exec: {command: [other]}}}},"
                        + "{name: c, ports: [{name: web, containerPort: 1}], lifecycle: {preStop: " + preStop + "}}]}}")
                .get(0);
        return Pod.of(Worlds.put(World.EMPTY, tree)
                .get(ObjectKey.namespaced("pods", "ns", "p"))
                .orElseThrow());
    }

    private void run(String preStop, Duration limit) throws HookException, InterruptedException {
        Pod pod = pod(preStop);
        JsonNode handler =
                pod.spec().path("containers").path(1).path("lifecycle").path("preStop");
        hooks.run(pod, "id", "127.0.0.1", handler, limit);
    }

    /** The outcome of a command that is begun, does this, and ends. */
    private Optional<HookException> command(String errors, int code) throws Exception {
        CompletableFuture<Optional<HookException>> outcome = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        run("{exec: {command: [sh, -c, bye]}}", LONG);
                        return Optional.empty();
                    } catch (HookException e) {
                        return Optional.of(e);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                threads);
        FakeExec.Running process = engine.awaitFirst();
        process.write(Channel.STDOUT, "out ");
        process.write(Channel.STDERR, errors);
        process.exit(code);
        return outcome.get(20, TimeUnit.SECONDS);
    }

    @Test
    void runsACommandToItsEnd() throws Exception {
        assertThat(command("", 0)).isEmpty();
        assertThat(engine.begun).containsExactly("id sh -c bye");
    }

    @Test
    void saysHowACommandFailed() throws Exception {
        assertThat(command("err", 3))
                .get()
                .satisfies(e -> assertThat(e.kind()).isEqualTo(HookException.Kind.FAILED))
                .extracting(Throwable::getMessage)
                .isEqualTo(
                        "Exec lifecycle hook ([sh -c bye]) for Container \"c\" in Pod \"p_ns(uid-p)\" failed - error: "
                                + "command 'sh -c bye' exited with 3: err, message: \"out err\"");
    }

    @Test
    void doesNotWaitForLongerThanAllowed() {
        assertThatThrownBy(() -> run("{exec: {command: [x]}}", Duration.ofMillis(50)))
                .isInstanceOfSatisfying(
                        HookException.class, e -> assertThat(e.kind()).isEqualTo(HookException.Kind.TOO_LATE));
        assertThatThrownBy(() -> run("{sleep: {seconds: 3600}}", Duration.ofMillis(50)))
                .isInstanceOfSatisfying(
                        HookException.class, e -> assertThat(e.kind()).isEqualTo(HookException.Kind.TOO_LATE));
    }

    @Test
    void sleepsAsLongAsAsked() throws Exception {
        long begin = System.nanoTime();

        run("{sleep: {seconds: 1}}", LONG);

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(990));
    }

    @Test
    void anEngineThatRefusesIsAFailure() {
        engine.refusal = Optional.of(new EngineException(EngineException.Kind.CONFLICT, "is not running"));

        assertThatThrownBy(() -> run("{exec: {command: [x]}}", LONG))
                .hasMessage("Exec lifecycle hook ([x]) for Container \"c\" in Pod \"p_ns(uid-p)\" failed - error: "
                        + "is not running, message: \"\"");
    }

    @Test
    void anyHttpAnswerWillDo() throws Exception {
        try (CannedServer server = new CannedServer("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")) {
            run("{httpGet: {port: " + server.port() + ", path: /bye}}", LONG);

            assertThat(server.requests.take()).startsWith("GET /bye ").contains("User-Agent: kube-lifecycle/1.35");
        }
    }

    @Test
    void noHttpAnswerWillNot() throws Exception {
        try (CannedServer server = new CannedServer("")) {
            assertThatThrownBy(() -> run("{httpGet: {port: " + server.port() + ", path: /bye}}", LONG))
                    .hasMessage("HTTP lifecycle hook (/bye) for Container \"c\" in Pod \"p_ns(uid-p)\" failed - error: "
                            + "Get \"http://127.0.0.1:" + server.port() + "/bye\": EOF");
        }
        assertThatThrownBy(() -> run("{httpGet: {port: nosuch}}", LONG))
                .hasMessageEndingWith("failed - error: strconv.Atoi: parsing \"nosuch\": invalid syntax");
    }

    @Test
    void aServerThatSpeaksNoTlsIsAskedWithout() throws Exception {
        String plain = "HTTP/1.1 400 Bad Request\r\n\r\n";
        try (CannedServer server = new CannedServer(CannedServer.FIRST + plain + CannedServer.HANG, plain)) {
            run("{httpGet: {port: " + server.port() + ", scheme: HTTPS, path: /bye}}", LONG);

            assertThat(server.requests.take()).startsWith("GET /bye ");
        }
    }

    @Test
    void cannotRunWhatIsNoHook() {
        assertThatThrownBy(() -> run("{tcpSocket: {port: 80}}", LONG))
                .hasMessage("Cannot run handler: invalid handler: {\"tcpSocket\":{\"port\":80}}");
    }
}
