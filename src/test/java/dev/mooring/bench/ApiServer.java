package dev.mooring.bench;

import dev.mooring.cli.client.ServerAccess;
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

/** The installed program on an empty directory, and what a client needs to reach it. Closing it stops it. */
final class ApiServer implements ApiTarget, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
    private static final Path PROGRAM = Path.of("build/install/mooring/bin/mooring");
    private static final int STOP_SECONDS = 15;
    private static final int SHOWN_OF_ERRORS = 4000;

    private final Process process;
    private final Thread stopper = new Thread(this::kill, "bench-api-server-stopper");
    private final Path data;
    private final Path errors;
    private final ServerAccess access;

    /** As users start it, without an engine: none of this machine's is to be used. */
    static ApiServer whole(Path directory) throws IOException {
        return new ApiServer(directory, List.of("--runtime", "none"), Map.of());
    }

    /** As users start it, with an engine. */
    static ApiServer withEngine(Path directory, String dockerHost) throws IOException {
        return new ApiServer(directory, List.of(), Map.of("DOCKER_HOST", dockerHost));
    }

    /** The API and nobody who acts upon what is created there. */
    static ApiServer apiAlone(Path directory) throws IOException {
        return new ApiServer(directory, List.of("--without", "control,node"), Map.of());
    }

    private ApiServer(Path directory, List<String> options, Map<String, String> variables) throws IOException {
        if (!Files.isExecutable(PROGRAM)) {
            throw new IOException("Expected the program at " + PROGRAM + "; make build makes it");
        }
        data = directory.resolve("data");
        errors = directory.resolve("stderr");
        List<String> command = new ArrayList<>(List.of(
                PROGRAM.toAbsolutePath().toString(), "server", "--data", data.toString(), "--listen", "127.0.0.1:0"));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_") || name.startsWith("DOCKER_"));
        builder.environment().putAll(variables);
        Runtime.getRuntime().addShutdownHook(stopper);
        process = builder.redirectError(errors.toFile()).start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        if (line == null || !line.startsWith("ready ")) {
            kill();
            throw new IOException("Expected the server's ready line, but found " + line + "; it said:\n" + said());
        }
        access = ServerAccess.read(data.resolve("kubeconfig"));
    }

    ServerAccess access() {
        return access;
    }

    /** Its certificate and the key of it, in one file. */
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
        return Resident.bytesOf(pid());
    }

    private String said() throws IOException {
        return Files.readString(errors);
    }

    private void kill() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    /** Whatever the server complained about would be lost with its directory. */
    private void passOnErrors() {
        try {
            String text = said();
            int error = text.indexOf(" ERROR ");
            if (error >= 0) {
                int start = text.lastIndexOf('\n', error) + 1;
                LOG.warn(
                        "The server said: {}", text.substring(start, Math.min(text.length(), start + SHOWN_OF_ERRORS)));
            }
        } catch (IOException e) {
            LOG.error("Expected to read what the server said, but it failed", e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        passOnErrors();
        process.destroy();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            kill();
            process.waitFor();
        }
        Runtime.getRuntime().removeShutdownHook(stopper);
    }
}
