package dev.mooring.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own that is killed and started again on the same data. One thread. */
final class EngineProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready (https://\\S+) kubeconfig=.*");
    private static final int KILLED = 137;

    private final Path data;
    private final Path errors;
    private final String engine;
    private Process process;
    private EngineApi api;

    /**
     * @param errors what the servers complain of
     * @param engine the address of Docker's
     */
    EngineProcess(Path data, Path errors, String engine) {
        this.data = data;
        this.errors = errors;
        this.engine = engine;
    }

    /** Starts the next one, which is not to be waited for yet. */
    void launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.mooring.Main",
                "server",
                "--listen",
                "127.0.0.1:0",
                "--node",
                "here",
                "--data",
                data.toString()));
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("MOORING_"));
        environment.put("MOORING_RUNTIME", "docker");
        environment.put("MOORING_DOCKER_HOST", engine);
        process = builder.redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
    }

    /** Waits until it serves. */
    void awaitReady() throws IOException {
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        while (line != null && !READY.matcher(line).matches()) {
            line = lines.readLine();
        }
        if (line == null) {
            throw new IllegalStateException("Expected the server to be ready, but it ended: " + complaints());
        }
        Matcher ready = READY.matcher(line);
        if (ready.matches()) {
            api = EngineApi.at(ready.group(1), data);
        }
    }

    EngineApi api() {
        return api;
    }

    String complaints() throws IOException {
        return Files.readString(errors);
    }

    /** Ends it with SIGKILL after a while, wherever it is then. */
    void killAfter(long millis) throws IOException, InterruptedException {
        if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    "Expected the server to live, but it ended with " + process.exitValue() + ": " + complaints());
        }
        process.toHandle().destroyForcibly();
        int code = process.waitFor();
        if (code != KILLED) {
            throw new IllegalStateException("Expected the server to be killed, but it ended with " + code);
        }
    }

    /** Ends it as an administrator would, and returns what it ended with. */
    int stop() throws InterruptedException {
        process.toHandle().destroy();
        return process.waitFor();
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly();
        }
    }
}
