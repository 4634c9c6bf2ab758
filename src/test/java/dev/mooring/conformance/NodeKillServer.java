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
import java.util.concurrent.TimeUnit;

/** A {@link NodeKillMain} in a process of its own, one after the other on the same data. For one thread. */
final class NodeKillServer implements AutoCloseable {
    private static final int KILLED = 137;
    private static final long PATIENCE_SECONDS = 60;

    private final Path data;
    private final Path errors;
    private Process process;
    private BufferedReader output;
    private Writer input;
    private NodeApi api;

    /** @param errors what it complains of */
    NodeKillServer(Path data, Path errors) {
        this.data = data;
        this.errors = errors;
    }

    /** Returns when it serves. */
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
            api = NodeApi.at(url, data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String line(String start) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(start)) {
                return line;
            }
        }
        throw new AssertionError("Expected the server to say " + start + ", but it ended: " + Files.readString(errors));
    }

    NodeApi api() {
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

    /** Waits until it has killed itself. */
    void awaitDeath(String point) {
        assertThat(hasEnded()).as("killed at %s", point).isTrue();
        assertThat(process.exitValue()).as(point).isEqualTo(KILLED);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    private boolean hasEnded() {
        try {
            return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** In good order. */
    void stop() {
        try {
            input.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(hasEnded()).as("ended with its input").isTrue();
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
