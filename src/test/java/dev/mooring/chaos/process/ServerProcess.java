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
 * The server program in a process of its own, which can be killed and started again on the same data. Listens on any free port, with TLS and
 * without. One thread starts and ends it.
 */
final class ServerProcess implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration STOP = Duration.ofSeconds(30);
    private static final Pattern READY = Pattern.compile("(?m)^ready (https://\\S+) kubeconfig=.*\n");
    private static final Pattern PLAIN = Pattern.compile("url=\"?(http://[^\\s\"]+)");
    private static final Pattern TOKEN = Pattern.compile("token: \"(.*)\"");
    private static final int KILLED = 137;

    private final Setup setup;
    private final Path output;
    private final Path errors;

    /** Otherwise it would read the one of the directory that the tests run in. */
    private final Path ownConfiguration;

    private Process process;
    private int lives;

    /**
     * How it is started.
     *
     * @param wrapper a command that has the rest executed, such as one that sets limits; may be empty
     * @param jvm further options of the JVM
     * @param settings by their keys, as in conf/mooring.yaml
     * @param classPath where the program is
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

    /** @param scratch where what it says is kept */
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

    /** Runs another command of the program to its end and returns what it printed, complaints included. */
    static String mooring(int exitCode, String... arguments) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(java(System.getProperty("java.class.path"), List.of(), arguments))
                .redirectErrorStream(true)
                .start();
        try (InputStream said = process.getInputStream()) {
            String text = new String(said.readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != exitCode) {
                throw new IllegalStateException("Expected mooring " + String.join(" ", arguments) + " to end with "
                        + exitCode + ", but it ended with " + code + ": " + text);
            }
            return text;
        }
    }

    /** Starts it, and does not wait. */
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
        lives++;
        process = builder.redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
    }

    /** Waits until it serves. */
    Api awaitReady() throws IOException, InterruptedException {
        Optional<Api> ready = awaitReadyOrEnd();
        if (ready.isEmpty()) {
            throw new IllegalStateException("Expected the server to be ready, but it ended: " + errors());
        }
        return ready.get();
    }

    /** Waits until it serves, or has ended. */
    Optional<Api> awaitReadyOrEnd() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
        while (System.nanoTime() - deadline < 0) {
            boolean ended = process.waitFor(10, TimeUnit.MILLISECONDS);
            Matcher ready = READY.matcher(Files.readString(output));
            if (ready.find()) {
                return Optional.of(new Api(lives, ready.group(1), found(PLAIN, errors()), token(), authority()));
            }
            if (ended) {
                return Optional.empty();
            }
        }
        throw new IllegalStateException("Expected the server to be ready in time, but it is not: " + errors());
    }

    Api start() throws IOException, InterruptedException {
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
            throw new IllegalStateException("Expected " + pattern + ", but it is not in: " + text);
        }
        return matcher.group(1);
    }

    /** What it has complained of in this life. */
    String errors() throws IOException {
        return Files.readString(errors);
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** How many have been started. */
    int lives() {
        return lives;
    }

    /** Whether it ends by itself within a time. */
    boolean endsWithin(Duration time) throws InterruptedException {
        return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    int exitCode() {
        return process.exitValue();
    }

    /** SIGKILL, now. */
    void kill() throws InterruptedException, IOException {
        process.toHandle().destroyForcibly();
        int code = process.waitFor();
        if (code != KILLED) {
            throw new IllegalStateException(
                    "Expected the server to be killed, but it had ended with " + code + ": " + errors());
        }
    }

    /** SIGTERM; returns what it ended with. */
    int stop() throws InterruptedException, IOException {
        process.toHandle().destroy();
        if (!process.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("Expected the server to end when told to, but it goes on: " + errors());
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
