package dev.mooring.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A {@link BaselineServer} in a separate JVM, with the server's options. */
final class BaselineServerProcess implements MeasuredServer, AutoCloseable {
    private final Process process;
    private final Thread stopper = new Thread(this::kill, "bench-bare-stopper");
    private final int port;

    BaselineServerProcess(Path certificate, int lineLength) throws IOException {
        Runtime.getRuntime().addShutdownHook(stopper);
        process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseG1GC",
                        "-Xms64m",
                        "-Xmx1g",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BaselineServer.class.getName(),
                        certificate.toString(),
                        Integer.toString(lineLength)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        if (line == null) {
            kill();
            throw new IOException("The bare TLS server exited without printing its port");
        }
        port = Integer.parseInt(line);
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public long cpuNanos() throws IOException {
        return CpuTime.ofProcessNanos(process.pid());
    }

    private void kill() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    @Override
    public void close() {
        kill();
        process.onExit().join();
        Runtime.getRuntime().removeShutdownHook(stopper);
    }
}
