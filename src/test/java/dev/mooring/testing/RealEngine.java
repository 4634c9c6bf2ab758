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
 * A real Docker engine with the image {@code busybox:latest} and nothing else ({@code scripts/engine}): not the one that this machine may
 * have, which is never touched. It ends with this process, however that ends. Needs root and the packages that {@code make setup} installs;
 * without them a test is aborted with words. The variable {@code MOORING_TEST_ENGINE} names another one to share instead.
 *
 * <p>Any thread may use it; one starts and stops it.
 */
public final class RealEngine implements AutoCloseable {
    private static final String VARIABLE = "MOORING_TEST_ENGINE";
    private static final String SCHEME = "unix://";
    private static final int CANNOT = 77;

    /** Where temporary files are, unless that is far away: the address of a socket has to be short. */
    private static final Path PARENT =
            Path.of(System.getProperty("java.io.tmpdir").length() < 20 ? System.getProperty("java.io.tmpdir") : "/tmp");

    private final String host;
    private final Optional<Path> directory;

    private RealEngine(String host, Optional<Path> directory) {
        this.host = host;
        this.directory = directory;
    }

    /** The one for all tests of this process: each removes what it has made there, and lets others be. */
    public static RealEngine shared() {
        return Shared.INSTANCE.get();
    }

    /** Another one, to be stopped, killed and closed. */
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
            Runtime.getRuntime().addShutdownHook(new Thread(engine::close, "ends an engine"));
            return engine;
        } catch (RuntimeException e) {
            run("remove", directory.toString());
            throw e;
        }
    }

    /** Such as {@code unix:///tmp/mooring-engine123/docker.sock}. */
    public String host() {
        return host;
    }

    public Path socket() {
        return Path.of(host.substring(SCHEME.length()));
    }

    /** After {@link #stop} or {@link #kill}: with what it had. */
    public void start() {
        run("start", own(directory), Long.toString(ProcessHandle.current().pid()));
    }

    /** In good order, which ends its containers; returns when it is gone. */
    public void stop() {
        run("stop", own(directory));
    }

    /** Its containers live on until it is started again, and are ended then. */
    public void kill() {
        run("kill", own(directory));
    }

    private static String own(Optional<Path> directory) {
        return directory
                .orElseThrow(() -> new IllegalStateException("Expected an engine of our own, but " + VARIABLE + " is"))
                .toString();
    }

    /** With all its containers. Once more does nothing. */
    @Override
    public void close() {
        directory.ifPresent(each -> run("remove", each.toString()));
    }

    /** Below the directory of the project, which need not be the current one. */
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
                        "Expected scripts/engine below " + current + " or above " + classes + ", but it is not there"));
    }

    private static void run(String... args) {
        List<String> command = new ArrayList<>(List.of(script().toString()));
        command.addAll(List.of(args));
        try {
            Path said = Files.createTempFile(PARENT, "mooring-engine", ".said");
            try {
                // To a file: what it starts has no end, and must not keep this waiting for that of a pipe.
                int code = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start()
                        .waitFor();
                String words = Files.readString(said, StandardCharsets.UTF_8).strip();
                if (code == CANNOT) {
                    throw new TestAbortedException("no Docker engine can be had here: " + words);
                }
                if (code != 0) {
                    throw new IllegalStateException("Expected " + String.join(" ", command)
                            + " to succeed, but it ended with " + code + ": " + words);
                }
            } finally {
                Files.delete(said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Started by who first asks for it; why it could not be is told to everybody. */
    private static final class Shared {
        static final Shared INSTANCE = new Shared();

        private Optional<RealEngine> engine = Optional.empty();
        private Optional<RuntimeException> trouble = Optional.empty();

        synchronized RealEngine get() {
            if (trouble.isPresent()) {
                throw trouble.get();
            }
            if (engine.isEmpty()) {
                try {
                    engine = Optional.of(Optional.ofNullable(System.getenv(VARIABLE))
                            .filter(each -> !each.isBlank())
                            .map(each -> new RealEngine(each, Optional.empty()))
                            .orElseGet(RealEngine::own));
                } catch (TestAbortedException | IllegalStateException e) {
                    trouble = Optional.of(e);
                    throw e;
                }
            }
            return engine.get();
        }
    }
}
