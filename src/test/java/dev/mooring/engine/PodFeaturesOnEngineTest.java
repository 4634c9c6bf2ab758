package dev.mooring.engine;

import static dev.mooring.engine.MooringClient.PODS;
import static dev.mooring.engine.MooringServerFixture.container;
import static dev.mooring.engine.MooringServerFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Features of Pods that Kubernetes' e2e tests use, on a real engine. */
@Timeout(180)
class PodFeaturesOnEngineTest {
    @TempDir
    private static Path directory;

    private static MooringServerFixture server;
    private static MooringClient api;

    @BeforeAll
    static void start() {
        server = MooringServerFixture.start(directory.resolve("data"));
        api = server.api();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @AfterEach
    void removeEverything() {
        api.list(PODS).forEach(each -> api.remove(PODS, each.at("/metadata/name").asText()));
        server.assertNoLeftovers();
    }

    private static String kubectl(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "kubectl", "--kubeconfig", directory.resolve("data/kubeconfig").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(String.join(" ", command) + "\n" + output).isZero();
        return output;
    }

    private static JsonNode untilRunning(String name) {
        return api.untilPhase(PODS, name, "Running");
    }

    @Test
    void kubectlDebug_target_seesProcessesOfTheTargetAndIsReported() throws IOException, InterruptedException {
        server.createPod(pod("p", "exec sleep 12345"));
        untilRunning("p");

        String output = kubectl(
                "debug", "p", "--image=busybox:latest", "--image-pull-policy=IfNotPresent", "--target=c",
                "--container=debugger", "--attach", "--", "sh", "-c", "tr \"\\0\" \" \" </proc/1/cmdline; echo said");
        assertThat(output).contains("sleep 12345", "said");

        JsonNode found = api.until(
                PODS,
                "p",
                "debugger has ended",
                each -> each.at("/status/ephemeralContainerStatuses/0/state").has("terminated"));
        JsonNode status = found.at("/status/ephemeralContainerStatuses/0");
        assertThat(status.path("name").asText()).isEqualTo("debugger");
        assertThat(status.at("/state/terminated/exitCode").asInt()).isZero();
        assertThat(status.path("restartCount").asInt()).isZero();
        assertThat(found.at("/status/phase").asText()).isEqualTo("Running");
        assertThat(found.at("/metadata/generation").asInt()).isEqualTo(2);
        assertThat(found.at("/status/observedGeneration").asInt()).isEqualTo(2);
        assertThat(api.logs("p", "?container=debugger")).contains("sleep 12345");
    }

    @Test
    void kubectlDebug_interactive_runsTheShellOnATerminal() throws IOException, InterruptedException {
        server.createPod(pod("p", "exec sleep 12345"));
        untilRunning("p");

        Process process = new ProcessBuilder(
                        "script",
                        "-qec",
                        "kubectl --kubeconfig " + directory.resolve("data/kubeconfig")
                                + " debug -it p --image=busybox:latest --image-pull-policy=IfNotPresent"
                                + " --container=d -- sh",
                        "/dev/null")
                .redirectErrorStream(true)
                .start();
        api.until(PODS, "p", "d runs", each -> each.at("/status/ephemeralContainerStatuses/0/state")
                .has("running"));
        kubectl("exec", "p", "-c", "d", "--", "true");
        process.getOutputStream().write("tty; exit 0\n".getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();

        assertThat(output).contains("/dev/pts/0");
        JsonNode ended = api.until(PODS, "p", "d has ended", each -> each.at("/status/ephemeralContainerStatuses/0/state")
                .has("terminated"));
        assertThat(ended.at("/status/conditions").findValuesAsText("status")).containsOnly("True");
    }
}
