package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs {@link NodeKillMain} in its own process, repeatedly on the same data. Not thread-safe. */
final class NodeKillServer implements AutoCloseable {
    private static final int KILLED = 137;
    private static final long TIMEOUT_SECONDS = 150;

    private final Path data;
    private final Path errors;
    private Process process;
    private BufferedReader output;
    private Writer input;
    private NodeApiClient api;

    /** @param errors file for the stderr of the process */
    NodeKillServer(Path data, Path errors) {
        this.data = data;
        this.errors = errors;
    }

    /** Starts the process and waits until it is ready. */
    void start() {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                NodeKillMain.class.getName(),
                data.toString());
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                    .start();
            output = process.inputReader(StandardCharsets.UTF_8);
            input = process.outputWriter(StandardCharsets.UTF_8);
            String url = line("ready ").substring("ready ".length());
            api = NodeApiClient.at(url, data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String line(String start) throws IOException {
        Optional<String> found = find(start);
        if (found.isEmpty()) {
            throw new AssertionError("Server ended without printing " + start + ": " + Files.readString(errors));
        }
        return found.get();
    }

    /** Reads until a line begins with this text; empty if the process ends before. */
    private Optional<String> find(String start) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(start)) {
                return Optional.of(line);
            }
        }
        return Optional.empty();
    }

    NodeApiClient api() {
        return api;
    }

    void arm(String point) {
        try {
            input.write(point + "\n");
            input.flush();
            line("armed");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Disarms the process; returns false if it has killed itself before. */
    boolean disarm() {
        try {
            input.write("\n");
            input.flush();
            return find("armed").isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends a request after which the process may kill itself, even before it has sent the response. */
    void unlessKilled(Runnable request) {
        try {
            request.run();
        } catch (UncheckedIOException e) {
            awaitKilled("the armed point: " + e);
        }
    }

    /** Waits until the process has killed itself. */
    void awaitKilled(String point) {
        assertThat(hasEnded()).as("killed at %s", point).isTrue();
        assertThat(process.exitValue()).as(point).isEqualTo(KILLED);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    private boolean hasEnded() {
        try {
            return process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Shuts the process down cleanly. */
    void stop() {
        try {
            input.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(hasEnded()).as("ended after its input").isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly();
            hasEnded();
        }
    }
}
