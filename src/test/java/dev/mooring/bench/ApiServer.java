package dev.mooring.bench;

import dev.mooring.cli.ServerAccess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The installed program with an empty directory, and the access data for clients. Closing it stops it. */
final class ApiServer implements MeasuredServer, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
    private static final Path PROGRAM = Path.of("build/install/mooring/bin/mooring");
    private static final int STOP_SECONDS = 15;
    private static final int SHOWN_OF_ERRORS = 4000;

    private final Process process;
    private final Thread stopper = new Thread(this::kill, "bench-api-server-stopper");
    private final Path data;
    private final Path errors;
    private final ServerAccess access;

    /** Starts the server as users do, without a container engine. */
    static ApiServer withoutEngine(Path directory) throws IOException {
        return new ApiServer(directory, List.of("--runtime", "none"), Map.of());
    }

    /** Starts the server as users do, with a container engine. */
    static ApiServer withEngine(Path directory, String dockerHost) throws IOException {
        return withEngine(directory, dockerHost, "none");
    }

    /** @param pluginSocket socket of Docker's volume driver, or none */
    static ApiServer withEngine(Path directory, String dockerHost, String pluginSocket) throws IOException {
        return new ApiServer(
                directory, List.of(), Map.of("DOCKER_HOST", dockerHost, "MOORING_DOCKER_PLUGINSOCKET", pluginSocket));
    }

    /** Starts only the API, without controllers and nodes. */
    static ApiServer apiOnly(Path directory) throws IOException {
        return new ApiServer(directory, List.of("--without", "control,node"), Map.of());
    }

    private ApiServer(Path directory, List<String> options, Map<String, String> variables) throws IOException {
        if (!Files.isExecutable(PROGRAM)) {
            throw new IOException("There is no program at " + PROGRAM + "; run make build");
        }
        data = directory.resolve("data");
        errors = directory.resolve("stderr");
        List<String> command = new ArrayList<>(List.of(
                PROGRAM.toAbsolutePath().toString(), "server", "--data", data.toString(), "--listen", "127.0.0.1:0"));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_") || name.startsWith("DOCKER_"));
        // Benchmarks with very many objects use one namespace.
        builder.environment().put("MOORING_QUOTA_NAMESPACEOBJECTS", "none");
        builder.environment().put("MOORING_QUOTA_NAMESPACEBYTES", "none");
        builder.environment().putAll(variables);
        Runtime.getRuntime().addShutdownHook(stopper);
        process = builder.redirectError(errors.toFile()).start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        if (line == null || !line.startsWith("ready ")) {
            kill();
            throw new IOException("The server printed " + line + " instead of its ready line; its log:\n" + output());
        }
        access = ServerAccess.read(data.resolve("kubeconfig"));
    }

    ServerAccess access() {
        return access;
    }

    /** Returns the file with the server's certificate and key. */
    Path certificate() {
        return data.resolve("pki").resolve("server.pem");
    }

    @Override
    public int port() {
        return access.server().getPort();
    }

    long pid() {
        return process.pid();
    }

    @Override
    public long cpuNanos() throws IOException {
        return CpuTime.ofProcessNanos(pid());
    }

    double residentBytes() throws IOException {
        return ResidentMemory.bytesOf(pid());
    }

    private String output() throws IOException {
        return Files.readString(errors);
    }

    private void kill() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    /** Logs errors of the server before its directory is removed. */
    private void logServerErrors() {
        try {
            String text = output();
            int error = text.indexOf(" ERROR ");
            if (error >= 0) {
                int start = text.lastIndexOf('\n', error) + 1;
                LOG.warn(
                        "Server logged an error: {}",
                        text.substring(start, Math.min(text.length(), start + SHOWN_OF_ERRORS)));
            }
        } catch (IOException e) {
            LOG.error("Failed to read the server's log", e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        logServerErrors();
        process.destroy();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            kill();
            process.waitFor();
        }
        Runtime.getRuntime().removeShutdownHook(stopper);
    }
}
