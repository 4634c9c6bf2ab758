package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the server as a separate process, with {@code kubectl} as its client. */
@Timeout(300)
class ServerProcessTest {
    private static final Path KUBECTL = Path.of("/usr/bin/kubectl");

    @TempDir
    private Path directory;

    private Process server;

    @AfterEach
    void end() throws InterruptedException {
        if (server != null) {
            // Waits: a running server could create files in the directory while it is being deleted.
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void server_sigterm_exitsWithZeroAfterTheReadyLineAndTheLinkToThePage() throws Exception {
        BufferedReader stdout = start("--listen", "127.0.0.1:0");

        String ready = stdout.readLine();
        String page = stdout.readLine();
        server.toHandle().destroy(); // SIGTERM; unlike Process.destroy, it keeps stdout readable

        assertThat(server.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).as(stderr()).isZero();
        assertThat(ready).matches("ready https://127\\.0\\.0\\.1:[1-9]\\d* kubeconfig=" + Pattern.quote(kubeconfig()));
        assertThat(page).matches("page " + Pattern.quote(ready.split(" ", -1)[1]) + "/ui/#code=[A-Za-z0-9_-]{27}");
        assertThat(stdout.readLine()).isNull();
        assertThat(stderr())
                .contains("next: kubectl --kubeconfig " + kubeconfig())
                .contains("Stopped");
    }

    @Test
    void server_jsonLogFormat_logsOneObjectPerLine() throws Exception {
        Path config = Files.writeString(directory.resolve("c.yaml"), "logging: {format: json}\n");
        BufferedReader stdout = start("--listen", "127.0.0.1:0", "--config", config.toString());
        stdout.readLine();
        server.toHandle().destroy();
        server.waitFor();

        List<String> lines =
                stderr().lines().filter(line -> !line.startsWith("next: ")).toList();

        assertThat(lines)
                .isNotEmpty()
                .allSatisfy(line -> assertThat(new JsonObject(line).fieldNames())
                        .contains("ts", "level", "logger", "thread", "msg"));
    }

    @Test
    void kubectl_rawRequests_areServed() throws Exception {
        assumeTrue(Files.isExecutable(KUBECTL), "kubectl is not installed at " + KUBECTL);
        start("--listen", "127.0.0.1:0").readLine();

        assertThat(new JsonObject(kubectl(0, "get", "--raw", "/version")).getString("minor"))
                .isEqualTo("32");
        assertThat(kubectl(0, "get", "--raw", "/readyz?verbose")).endsWith("readyz check passed\n");
        assertThat(kubectl(0, "get", "--raw", "/metrics")).contains("mooring_verticle_up");
        assertThat(kubectl(1, "get", "--raw", "/nope"))
                .contains("Error from server (NotFound): the server could not find the requested resource");
    }

    private BufferedReader start(String... flags) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.mooring.Main",
                "server",
                "--data",
                directory.resolve("data").toString()));
        command.addAll(List.of(flags));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_"));
        server = builder.redirectError(directory.resolve("stderr").toFile()).start();
        return server.inputReader(StandardCharsets.UTF_8);
    }

    private String kubectl(int exitCode, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(KUBECTL.toString(), "--kubeconfig", kubeconfig()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("HOME", directory.toString()); // its cache
        Process kubectl = builder.start();
        String output = new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(kubectl.waitFor()).as(output).isEqualTo(exitCode);
        return output;
    }

    private String kubeconfig() {
        return directory.resolve("data/kubeconfig").toString();
    }

    private String stderr() throws IOException {
        return Files.readString(directory.resolve("stderr"));
    }
}
