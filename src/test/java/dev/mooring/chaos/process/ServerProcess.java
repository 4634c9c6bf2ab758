package dev.mooring.chaos.process;

import dev.mooring.Main;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server process that can be killed and restarted on the same data. Listens on free ports, with and without TLS. One
 * thread starts and ends it.
 */
final class ServerProcess implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
    private static final Duration STOP_TIMEOUT = Duration.ofMinutes(2);
    private static final Pattern READY = Pattern.compile("(?m)^ready (https://\\S+) kubeconfig=.*\n");
    private static final Pattern PLAIN = Pattern.compile("url=\"?(http://[^\\s\"]+)");
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");
    private static final int KILLED_EXIT_CODE = 137;

    private final Setup setup;
    private final Path output;
    private final Path errors;

    /** Configuration file; without it the server would read that of the working directory. */
    private final Path ownConfiguration;

    private Process process;
    private int incarnations;

    /**
     * How the server is started.
     *
     * @param wrapper a command that executes the rest, for example with limits; may be empty
     * @param jvm additional options of the JVM
     * @param settings by their keys, as in conf/mooring.yaml
     * @param classPath class path of the program
     */
    record Setup(Path data, List<String> wrapper, List<String> jvm, Map<String, String> settings, String classPath) {
        static Setup of(Path data, Map<String, String> settings) {
            return new Setup(data, List.of(), List.of("-Xmx256m"), settings, System.getProperty("java.class.path"));
        }

        Setup within(String... command) {
            return new Setup(data, List.of(command), jvm, settings, classPath);
        }

        Setup withJvm(String... options) {
            return new Setup(data, wrapper, List.of(options), settings, classPath);
        }

        Setup from(String otherClassPath) {
            return new Setup(data, wrapper, jvm, settings, otherClassPath);
        }
    }

    /** @param scratch directory for its output */
    ServerProcess(Setup setup, Path scratch) {
        this.setup = setup;
        this.output = scratch.resolve("stdout");
        this.errors = scratch.resolve("stderr");
        this.ownConfiguration = scratch.resolve("mooring.yaml");
    }

    private static List<String> java(String classPath, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-XX:-UsePerfData",
                "-XX:+ExitOnOutOfMemoryError"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, Main.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Runs another command of the program and returns its output, including errors. */
    static String mooring(int exitCode, String... arguments) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(java(System.getProperty("java.class.path"), List.of(), arguments))
                .redirectErrorStream(true)
                .start();
        try (InputStream stream = process.getInputStream()) {
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != exitCode) {
                throw new IllegalStateException("Expected mooring " + String.join(" ", arguments) + " to end with "
                        + exitCode + ", but it ended with " + code + ": " + text);
            }
            return text;
        }
    }

    /** A request and its response. */
    interface ServerCall<T> {
        T send() throws IOException;
    }

    /**
     * Repeats a call until it gets a complete response or the process has ended. While clients leave much unread, the
     * server aborts responses of which nothing is read for a second, which may be any on a busy machine.
     */
    <T> T untilServed(ServerCall<T> call) throws IOException {
        while (true) {
            try {
                return call.send();
            } catch (IOException e) {
                if (!isAlive()) {
                    throw e;
                }
            }
        }
    }

    /** Starts the process without waiting for it. */
    void launch() throws IOException {
        List<String> command = new ArrayList<>(setup.wrapper());
        command.addAll(java(
                setup.classPath(),
                setup.jvm(),
                "server",
                "--listen",
                "127.0.0.1:0",
                "--node",
                "here",
                "--runtime",
                "none",
                "--config",
                Files.writeString(ownConfiguration, "{}\n").toString(),
                "--data",
                setup.data().toString()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_"));
        builder.environment().put("MOORING_API_PLAINLISTEN", "127.0.0.1:0");
        setup.settings()
                .forEach((key, value) -> builder.environment()
                        .put("MOORING_" + key.replace('.', '_').toUpperCase(Locale.ROOT), value));
        incarnations++;
        process = builder.redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
    }

    /** Waits until the server is ready. */
    ServerApi awaitReady() throws IOException, InterruptedException {
        Optional<ServerApi> ready = awaitReadyOrEnd();
        if (ready.isEmpty()) {
            throw new IllegalStateException("The server ended before it was ready: " + errors());
        }
        return ready.get();
    }

    /** Waits until the server is ready or has ended. */
    Optional<ServerApi> awaitReadyOrEnd() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (System.nanoTime() - deadline < 0) {
            boolean ended = process.waitFor(10, TimeUnit.MILLISECONDS);
            Matcher ready = READY.matcher(text(output));
            if (ready.find()) {
                return Optional.of(
                        new ServerApi(incarnations, ready.group(1), found(PLAIN, errors()), token(), authority()));
            }
            if (ended) {
                return Optional.empty();
            }
        }
        throw new IllegalStateException("The server was not ready in time: " + errors());
    }

    ServerApi start() throws IOException, InterruptedException {
        launch();
        return awaitReady();
    }

    private String token() throws IOException {
        return found(TOKEN, Files.readString(setup.data().resolve("kubeconfig")));
    }

    private Path authority() {
        return setup.data().resolve("pki/ca.crt");
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException("No match of " + pattern + " in: " + text);
        }
        return matcher.group(1);
    }

    /** Returns stderr of the current process. */
    String errors() throws IOException {
        return text(errors);
    }

    /** Reads a file to which the process may be writing: its end may be a part of a character. */
    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the number of started processes. */
    int incarnations() {
        return incarnations;
    }

    /** Returns whether the process ends by itself within a time. */
    boolean endsWithin(Duration time) throws InterruptedException {
        return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    int exitCode() {
        return process.exitValue();
    }

    /** Sends SIGKILL. */
    void kill() throws InterruptedException, IOException {
        process.toHandle().destroyForcibly();
        int code = process.waitFor();
        if (code != KILLED_EXIT_CODE) {
            throw new IllegalStateException(
                    "The server had ended before it was killed, with exit code " + code + ": " + errors());
        }
    }

    /** Sends SIGTERM; returns the exit code. */
    int stop() throws InterruptedException, IOException {
        process.toHandle().destroy();
        if (!process.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("The server did not end after SIGTERM: " + errors());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            process.destroyForcibly();
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
