package dev.mooring.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures the installed program as users start it: the time until an empty server is ready, and the CPU time of an
 * idle server.
 */
final class StartUpBenchmark implements Benchmark {
    private static final Path PROGRAM = Path.of("build/install/mooring/bin/mooring");
    private static final double GOAL_SECONDS = 1.5;

    /** Time for background work after the ready line, such as compilation. */
    private static final Duration SETTLING = Duration.ofSeconds(3);

    @Override
    public String name() {
        return "start-up";
    }

    @Override
    public String title() {
        return "The server as a process";
    }

    @Override
    public void run(BenchmarkRun run) throws IOException, InterruptedException {
        if (!Files.isExecutable(PROGRAM)) {
            throw new IOException("There is no program at " + PROGRAM + "; run make build");
        }
        Measurements ready = new Measurements();
        Measurements readyCpu = new Measurements();
        Measurements hello = new Measurements();
        int rounds = run.choose(7, 3);
        for (int round = -1; round < rounds; round++) {
            run.step("starts, " + (round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds));
            double helloSeconds = secondsToRunEmptyProgram();
            try (ServerProcess server = new ServerProcess(run.newDirectory("server"))) {
                if (round >= 0) {
                    hello.add(helloSeconds);
                    ready.add(server.secondsToReady);
                    readyCpu.add(CpuTime.ofProcessNanos(server.pid()) / 1e9);
                }
            }
        }
        run.report(Figure.of("empty server to its ready line", MeasureUnit.SECONDS, ready)
                .against("a Java hello world", hello)
                .goal(Goal.below(GOAL_SECONDS))
                .detail("CPU", MeasureUnit.SECONDS, readyCpu.median()));
        idle(run);
    }

    private static void idle(BenchmarkRun run) throws IOException, InterruptedException {
        Duration time = Duration.ofSeconds(run.choose(10, 3));
        try (ServerProcess server = new ServerProcess(run.newDirectory("server"))) {
            run.step("letting the server settle");
            Thread.sleep(SETTLING.toMillis());
            run.step("measuring the idle server");
            long before = CpuTime.ofProcessNanos(server.pid());
            long start = System.nanoTime();
            Thread.sleep(time.toMillis());
            double used = (CpuTime.ofProcessNanos(server.pid()) - before) / 1e6;
            double seconds = (System.nanoTime() - start) / 1e9;
            run.report(Figure.of("CPU of an idle server", MeasureUnit.CPU_SHARE, Measurements.of(used / seconds))
                    .detail("window", MeasureUnit.SECONDS, seconds)
                    .detail("resident memory", MeasureUnit.BYTES, ResidentMemory.bytesOf(server.pid())));
        }
    }

    private static double secondsToRunEmptyProgram() throws IOException, InterruptedException {
        String classes = Path.of(EmptyProgram.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
        long start = System.nanoTime();
        BenchmarkJvm.run(classes, EmptyProgram.class);
        return (System.nanoTime() - start) / 1e9;
    }

    /** A server with an empty directory; closing it stops it. */
    private static final class ServerProcess implements AutoCloseable {
        private final Process process;
        private final Thread stopper = new Thread(this::kill, "bench-server-stopper");
        final double secondsToReady;

        ServerProcess(Path directory) throws IOException {
            Path errors = directory.resolve("stderr");
            Runtime.getRuntime().addShutdownHook(stopper);
            ProcessBuilder builder = new ProcessBuilder(List.of(
                    PROGRAM.toAbsolutePath().toString(),
                    "server",
                    "--data",
                    directory.resolve("data").toString(),
                    "--listen",
                    "127.0.0.1:0"));
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            builder.environment().keySet().removeIf(name -> name.startsWith("MOORING_"));
            long start = System.nanoTime();
            process = builder.redirectError(errors.toFile()).start();
            BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
            String line = output.readLine();
            secondsToReady = (System.nanoTime() - start) / 1e9;
            if (line == null || !line.startsWith("ready ")) {
                String log = Files.readString(errors);
                kill();
                throw new IOException("The server printed " + line + " instead of its ready line; its log:\n" + log);
            }
        }

        long pid() {
            return process.pid();
        }

        private void kill() {
            if (process != null) {
                process.destroyForcibly();
            }
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                kill();
                process.waitFor();
            }
            Runtime.getRuntime().removeShutdownHook(stopper);
        }
    }
}
