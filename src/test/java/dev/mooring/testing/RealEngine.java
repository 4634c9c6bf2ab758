package dev.mooring.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * A real Docker engine with the image {@code busybox:latest} and nothing else ({@code scripts/engine}); the engine of
 * this machine is never used. It ends with this process in any case. Needs root and the packages that {@code make
 * setup} installs; without them a test is aborted with a message. The variable {@code MOORING_TEST_ENGINE} names
 * another engine to use instead.
 *
 * <p>Thread-safe, except that one thread starts and stops it.
 */
public final class RealEngine implements AutoCloseable {
    private static final String VARIABLE = "MOORING_TEST_ENGINE";
    private static final String SCHEME = "unix://";
    private static final int EXIT_UNSUPPORTED = 77;

    /**
     * Parent of the engine's directory: the temporary directory, or /tmp if its path is too long for a socket address.
     */
    private static final Path PARENT =
            Path.of(System.getProperty("java.io.tmpdir").length() < 20 ? System.getProperty("java.io.tmpdir") : "/tmp");

    private final String host;
    private final Optional<Path> directory;

    private RealEngine(String host, Optional<Path> directory) {
        this.host = host;
        this.directory = directory;
    }

    /** Returns the engine shared by all tests of this process; each test removes its own objects. */
    public static RealEngine shared() {
        return Shared.INSTANCE.get();
    }

    /** Starts a separate engine, which may be stopped, killed and closed. */
    public static RealEngine own() {
        Path directory;
        try {
            directory = Files.createTempDirectory(PARENT, "mooring-engine");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            RealEngine engine = new RealEngine(SCHEME + directory.resolve("docker.sock"), Optional.of(directory));
            engine.start();
            Runtime.getRuntime().addShutdownHook(new Thread(engine::close, "stop-engine"));
            return engine;
        } catch (RuntimeException e) {
            run("remove", directory.toString());
            throw e;
        }
    }

    /** Returns the address, such as {@code unix:///tmp/mooring-engine123/docker.sock}. */
    public String host() {
        return host;
    }

    public Path socket() {
        return Path.of(host.substring(SCHEME.length()));
    }

    /** Starts the engine again after {@link #stop} or {@link #kill}, with the same data. */
    public void start() {
        run("start", own(directory), Long.toString(ProcessHandle.current().pid()));
    }

    /** Stops the engine gracefully, including its containers; returns when it has ended. */
    public void stop() {
        run("stop", own(directory));
    }

    /** Kills the engine. Its containers keep running until it starts again, which ends them. */
    public void kill() {
        run("kill", own(directory));
    }

    private static String own(Optional<Path> directory) {
        return directory
                .orElseThrow(
                        () -> new IllegalStateException(VARIABLE + " is set: the engine cannot be started or stopped"))
                .toString();
    }

    /** Removes the engine with all its containers; idempotent. */
    @Override
    public void close() {
        directory.ifPresent(each -> run("remove", each.toString()));
    }

    /** Returns the script below the project directory, which need not be the current one. */
    private static Path script() {
        Path current = Path.of("").toAbsolutePath();
        Path classes = Path.of(RealEngine.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        return Stream.concat(Stream.of(current), Stream.iterate(classes, Objects::nonNull, Path::getParent))
                .map(each -> each.resolve("scripts/engine"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "There is no scripts/engine below " + current + " or above " + classes));
    }

    private static void run(String... args) {
        List<String> command = new ArrayList<>(List.of(script().toString()));
        command.addAll(List.of(args));
        try {
            Path output = Files.createTempFile(PARENT, "mooring-engine", ".out");
            try {
                // To a file: the daemon that it starts would keep a pipe open.
                int code = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start()
                        .waitFor();
                String text = Files.readString(output, StandardCharsets.UTF_8).strip();
                if (code == EXIT_UNSUPPORTED) {
                    throw new TestAbortedException("no Docker engine is available here: " + text);
                }
                if (code != 0) {
                    throw new IllegalStateException(String.join(" ", command) + " ended with " + code + ": " + text);
                }
            } finally {
                Files.delete(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The shared engine, started on first use; a failed start fails all later uses, too. */
    private static final class Shared {
        static final Shared INSTANCE = new Shared();

        private Optional<RealEngine> engine = Optional.empty();
        private Optional<RuntimeException> failure = Optional.empty();

        synchronized RealEngine get() {
            if (failure.isPresent()) {
                throw failure.get();
            }
            if (engine.isEmpty()) {
                try {
                    engine = Optional.of(Optional.ofNullable(System.getenv(VARIABLE))
                            .filter(each -> !each.isBlank())
                            .map(each -> new RealEngine(each, Optional.empty()))
                            .orElseGet(RealEngine::own));
                } catch (TestAbortedException | IllegalStateException e) {
                    failure = Optional.of(e);
                    throw e;
                }
            }
            return engine.get();
        }
    }
}
