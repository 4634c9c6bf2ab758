package dev.mooring.node.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.monitor.NodeControllersFixture;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.docker.DockerRuntime;
import dev.mooring.runtime.docker.DockerSettings;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.RealEngine;
import dev.mooring.testing.RealEngineApi;
import dev.mooring.world.World;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.IOException;
import java.net.Socket;
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

/** Tests probes and hooks with a real container and a server in it. */
class RealProbeTest {
    private static final ExecutorService THREADS = WorkContext.newThreads();
    private static final WorkContext WORK =
            new WorkContext(new NodeControllersFixture(""), Clock.systemUTC(), Schedulers.computation(), THREADS);

    private static RealEngineApi api;
    private static DockerRuntime engine;
    private static String id;
    private static String address;

    @BeforeAll
    static void start() throws Exception {
        api = new RealEngineApi(RealEngine.shared().socket());
        engine = DockerRuntime.connect(
                new DockerSettings(RealEngine.shared().host(), Optional.empty(), Duration.ofSeconds(60)));
        RealEngineApi.EngineReply created = api.post(
                "/containers/create?name=probes-test-" + ProcessHandle.current().pid(), """
                {"Image": "busybox:latest", "Entrypoint": ["sh", "-c"], "StopSignal": "SIGKILL",
                 "Cmd": ["mkdir /www; echo fine > /www/ok; exec httpd -f -p 8080 -h /www"]}
                """);
        assertThat(created.code()).describedAs(created.text()).isEqualTo(201);
        id = created.body().path("Id").asText();
        assertThat(api.post("/containers/" + id + "/start", "").code()).isEqualTo(204);
        address = api.get("/containers/" + id + "/json")
                .body()
                .at("/NetworkSettings/Networks/bridge/IPAddress")
                .asText();
        // The engine reports the start before the commands of the container have run.
        ConditionPoller.until(RealProbeTest::serves);
    }

    private static boolean serves() {
        try (Socket socket = new Socket(address, 8080)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
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

    private static Prober.ProbeResult runProbe(String probe) throws Exception {
        ObjectNode spec = WorldFixture.objects("{name: c, livenessProbe: {" + probe + "}}")
                .get(0);
        try (ContainerProber prober = new ContainerProber(engine, WORK)) {
            return prober.probe(
                            new Prober.Target(spec, id, address),
                            ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow())
                    .toCompletableFuture()
                    .get(90, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "timeoutSeconds: 60, exec: {command: [cat, /www/ok]}                        | SUCCESS | ''",
                "timeoutSeconds: 60, exec: {command: [sh, -c, 'echo a; exit 4']}            | FAILURE | a",
                "timeoutSeconds: 60, exec: {command: [sh, -c, 'echo b >&2; exit 1']}        | FAILURE | b",
                "exec: {command: [sleep, '30']} | FAILURE | command timed out: \"sleep 30\" timed out after 1s",
                "timeoutSeconds: 60, httpGet: {port: 8080, path: /ok}                       | SUCCESS | ''",
                "timeoutSeconds: 60, httpGet: {port: 8080, path: /no} | FAILURE | HTTP probe failed with statuscode:"
                        + " 404",
                "timeoutSeconds: 60, tcpSocket: {port: 8080}                                | SUCCESS | ''",
            })
    void probe_realContainer_hasExpectedResult(String probe, Prober.ProbeResult.Kind kind, String text)
            throws Exception {
        Prober.ProbeResult result = runProbe(probe);

        assertThat(result.kind()).describedAs(result.message()).isEqualTo(kind);
        assertThat(result.message().strip()).isEqualTo(text);
    }

    @Test
    void execProbe_missingCommand_failsWithItsName() throws Exception {
        Prober.ProbeResult result = runProbe("timeoutSeconds: 60, exec: {command: [no-such-command]}");

        assertThat(result.isSuccess()).isFalse();
        assertThat(result.message()).contains("no-such-command");
    }

    @Test
    void execProbe_missingContainer_isUnknown() throws Exception {
        ObjectNode spec = WorldFixture.objects("{name: c, livenessProbe: {exec: {command: [x]}}}")
                .get(0);
        try (ContainerProber prober = new ContainerProber(engine, WORK)) {
            assertThat(prober.probe(
                                    new Prober.Target(spec, "0123456789ab", ""),
                                    ProbeSpec.of(spec, ProbeKind.LIVENESS).orElseThrow())
                            .toCompletableFuture()
                            .get(90, TimeUnit.SECONDS))
                    .isEqualTo(Prober.ProbeResult.unknown(""));
        }
    }

    @Test
    void hooks_realContainer_runTheirCommands() throws Exception {
        ObjectNode tree = WorldFixture.objects(
                        "{kind: Pod, metadata: {name: p, namespace: ns}, spec: {containers: [{name: c,"
                                + " lifecycle: {postStart: {exec: {command: [sh, -c, 'echo hook > /www/hook']}},"
                                + " preStop: {exec: {command: [sh, -c, 'echo no >&2; exit 7']}}}}]}}")
                .get(0);
        Pod pod = Pod.of(WorldFixture.put(World.EMPTY, tree)
                .get(ObjectKey.namespaced("pods", "ns", "p"))
                .orElseThrow());
        var lifecycle = pod.spec().path("containers").path(0).path("lifecycle");
        try (Hooks hooks = new Hooks(engine, WORK)) {
            hooks.run(pod, id, address, lifecycle.path("postStart"), Duration.ofSeconds(60));
            assertThat(runProbe("timeoutSeconds: 60, httpGet: {port: 8080, path: /hook}"))
                    .isEqualTo(Prober.ProbeResult.success());

            assertThatThrownBy(() -> hooks.run(pod, id, address, lifecycle.path("preStop"), Duration.ofSeconds(60)))
                    .hasMessageContaining("exited with 7: no");
        }
    }
}
