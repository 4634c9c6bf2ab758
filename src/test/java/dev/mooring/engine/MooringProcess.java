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

/** Server in its own process that is killed and restarted on the same data. Not thread-safe. */
final class MooringProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready (https://\\S+) kubeconfig=.*");
    private static final int KILLED = 137;

    private final Path data;
    private final Path errors;
    private final String engine;
    private final Map<String, String> settings;
    private Process process;
    private int launches;
    private MooringClient api;

    /**
     * @param errors file for the stderr of the servers
     * @param engine address of the Docker engine
     */
    MooringProcess(Path data, Path errors, String engine) {
        this(data, errors, engine, Map.of());
    }

    /** @param settings further settings, by their environment variables */
    MooringProcess(Path data, Path errors, String engine, Map<String, String> settings) {
        this.settings = settings;
        this.data = data;
        this.errors = errors;
        this.engine = engine;
    }

    /** Starts the next process without waiting until it is ready. */
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
        environment.put("MOORING_SERVICES_RANGE", "none");
        environment.put("MOORING_DOCKER_PLUGINSOCKET", "none");
        environment.putAll(settings);
        launches++;
        process = builder.redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
    }

    /** Waits until the server is ready. */
    void awaitReady() throws IOException {
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        while (line != null && !READY.matcher(line).matches()) {
            line = lines.readLine();
        }
        if (line == null) {
            throw new IllegalStateException("Server ended before it was ready: " + errorOutput());
        }
        Matcher ready = READY.matcher(line);
        if (ready.matches()) {
            api = MooringClient.at(ready.group(1), data);
        }
    }

    /** Returns the number of processes so far. */
    int launches() {
        return launches;
    }

    MooringClient api() {
        return api;
    }

    String errorOutput() throws IOException {
        return Files.readString(errors);
    }

    /** Kills the process with SIGKILL after a delay, whatever it is doing. */
    void killAfter(long millis) throws IOException, InterruptedException {
        if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(
                    "Server ended before it was killed, with code " + process.exitValue() + ": " + errorOutput());
        }
        process.toHandle().destroyForcibly();
        int code = process.waitFor();
        if (code != KILLED) {
            throw new IllegalStateException("Server was not killed; it ended with code " + code);
        }
    }

    /** Stops the process with SIGTERM, and returns its exit code. */
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
