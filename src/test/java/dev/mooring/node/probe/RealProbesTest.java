package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Worlds;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.usage.LookoutBench;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.docker.DockerRuntime;
import dev.mooring.runtime.docker.DockerSettings;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import dev.mooring.world.World;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Probes and hooks that run commands in a real container, and ask a server in it. */
class RealProbesTest {
    private static final ExecutorService THREADS = WorkParts.newThreads();
    private static final WorkParts WORK =
            new WorkParts(new LookoutBench(""), Clock.systemUTC(), Schedulers.computation(), THREADS);

    private static RealEngineApi api;
    private static DockerRuntime engine;
    private static String id;
    private static String address;

    @BeforeAll
    static void start() {
        api = new RealEngineApi(RealEngine.shared().socket());
        engine = DockerRuntime.connect(
                new DockerSettings(RealEngine.shared().host(), Optional.empty(), Duration.ofSeconds(30)));
        RealEngineApi.Reply made = api.post(
                "/containers/create?name=probes-test-" + ProcessHandle.current().pid(), """
                {"Image": "busybox:latest", "Entrypoint": ["sh", "-c"], "StopSignal": "SIGKILL",
                 "Cmd": ["mkdir /www; echo fine > /www/ok; exec httpd -f -p 8080 -h /www"]}
                """);
        assertThat(made.code()).describedAs(made.text()).isEqualTo(201);
        id = made.body().path("Id").asText();
        assertThat(api.post("/containers/" + id + "/start", "").code()).isEqualTo(204);
        address = api.get("/containers/" + id + "/json")
                .body()
                .at("/NetworkSettings/Networks/bridge/IPAddress")
                .asText();
    }

    @AfterAll
    static void stop() {
        if (id != null) {
            api.delete("/containers/" + id + "?force=true");
        }
        if (engine != null) {
            engine.close();
        }
        THREADS.shutdownNow();
    }

    private static Answer ask(String probe) throws Exception {
        ObjectNode spec =
                Worlds.objects("{name: c, livenessProbe: {" + probe + "}}").get(0);
        try (Checks checks = new Checks(engine, WORK)) {
            return checks.check(
                            new Checker.Target(spec, id, address),
                            ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow())
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "timeoutSeconds: 20, exec: {command: [cat, /www/ok]}                        | SUCCESS | ''",
                "timeoutSeconds: 20, exec: {command: [sh, -c, 'echo a; exit 4']}            | FAILURE | a",
                "timeoutSeconds: 20, exec: {command: [sh, -c, 'echo b >&2; exit 1']}        | FAILURE | b",
                "exec: {command: [sleep, '30']} | FAILURE | command timed out: \"sleep 30\" timed out after 1s",
                "timeoutSeconds: 20, httpGet: {port: 8080, path: /ok}                       | SUCCESS | ''",
                "timeoutSeconds: 20, httpGet: {port: 8080, path: /no} | FAILURE | HTTP probe failed with statuscode:"
                        + " 404",
                "timeoutSeconds: 20, tcpSocket: {port: 8080}                                | SUCCESS | ''",
            })
    void asksARealContainer(String probe, Answer.Kind kind, String text) throws Exception {
        Answer answer = ask(probe);

        assertThat(answer.kind()).describedAs(answer.text()).isEqualTo(kind);
        assertThat(answer.text().strip()).isEqualTo(text);
    }

    @Test
    void aCommandThatIsNotThereHasFailedAndSaysSo() throws Exception {
        Answer answer = ask("timeoutSeconds: 20, exec: {command: [no-such-command]}");

        assertThat(answer.isSuccess()).isFalse();
        assertThat(answer.text()).contains("no-such-command");
    }

    @Test
    void aContainerThatIsGoneSaysNothing() throws Exception {
        ObjectNode spec = Worlds.objects("{name: c, livenessProbe: {exec: {command: [x]}}}")
                .get(0);
        try (Checks checks = new Checks(engine, WORK)) {
            assertThat(checks.check(
                                    new Checker.Target(spec, "0123456789ab", ""),
                                    ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow())
                            .toCompletableFuture()
                            .get(60, TimeUnit.SECONDS))
                    .isEqualTo(Answer.unknown(""));
        }
    }

    @Test
    void runsHooksInARealContainer() throws Exception {
        ObjectNode tree = Worlds.objects("{kind: Pod, metadata: {name: p, namespace: ns}, spec: {containers: [{name: c,"
                        + " lifecycle: {postStart: {exec: {command: [sh, -c, 'echo hook > /www/hook']}},"
                        + " preStop: {exec: {command: [sh, -c, 'echo no >&2; exit 7']}}}}]}}")
                .get(0);
        Pod pod = Pod.of(Worlds.put(World.EMPTY, tree)
                .get(ObjectKey.namespaced("pods", "ns", "p"))
                .orElseThrow());
        var lifecycle = pod.spec().path("containers").path(0).path("lifecycle");
        try (Hooks hooks = new Hooks(engine, WORK)) {
            hooks.run(pod, id, address, lifecycle.path("postStart"), Duration.ofSeconds(30));
            assertThat(ask("timeoutSeconds: 20, httpGet: {port: 8080, path: /hook}"))
                    .isEqualTo(Answer.success());

            assertThatThrownBy(() -> hooks.run(pod, id, address, lifecycle.path("preStop"), Duration.ofSeconds(30)))
                    .hasMessageContaining("exited with 7: no");
        }
    }
}
