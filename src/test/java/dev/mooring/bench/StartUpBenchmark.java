package dev.mooring.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The installed program as users start it: how long until an empty server is ready, and what it uses when nobody wants anything. */
final class StartUpBenchmark implements Benchmark {
    private static final Path PROGRAM = Path.of("build/install/mooring/bin/mooring");
    private static final double GOAL_SECONDS = 1.5;

    /** What is done after the ready line (classes compiled in the background, say) is not idleness. */
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
    public void run(Run run) throws IOException, InterruptedException {
        if (!Files.isExecutable(PROGRAM)) {
            throw new IOException("Expected the program at " + PROGRAM + "; make build makes it");
        }
        Rounds ready = new Rounds();
        Rounds readyCpu = new Rounds();
        Rounds hello = new Rounds();
        int rounds = run.choose(7, 3);
        for (int round = -1; round < rounds; round++) {
            run.step("starts, " + (round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds));
            double greeted = secondsToHello();
            try (ServerProcess server = new ServerProcess(run.newDirectory("server"))) {
                if (round >= 0) {
                    hello.add(greeted);
                    ready.add(server.secondsToReady);
                    readyCpu.add(CpuTime.ofProcessNanos(server.pid()) / 1e9);
                }
            }
        }
        run.report(Figure.of("empty server to its ready line", Unit.SECONDS, ready)
                .against("a Java hello world", hello)
                .goal(Goal.below(GOAL_SECONDS))
                .detail("CPU", Unit.SECONDS, readyCpu.median()));
        idle(run);
    }

    private static void idle(Run run) throws IOException, InterruptedException {
        Duration time = Duration.ofSeconds(run.choose(10, 3));
        try (ServerProcess server = new ServerProcess(run.newDirectory("server"))) {
            run.step("letting the server settle");
            Thread.sleep(SETTLING.toMillis());
            run.step("watching it do nothing");
            long before = CpuTime.ofProcessNanos(server.pid());
            long start = System.nanoTime();
            Thread.sleep(time.toMillis());
            double used = (CpuTime.ofProcessNanos(server.pid()) - before) / 1e6;
            double seconds = (System.nanoTime() - start) / 1e9;
            run.report(Figure.of("CPU of an idle server", Unit.CPU_SHARE, Rounds.of(used / seconds))
                    .detail("window", Unit.SECONDS, seconds)
                    .detail("resident memory", Unit.BYTES, Resident.bytesOf(server.pid())));
        }
    }

    private static double secondsToHello() throws IOException, InterruptedException {
        String classes = Path.of(Hello.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
        long start = System.nanoTime();
        ChildJvm.run(classes, Hello.class);
        return (System.nanoTime() - start) / 1e9;
    }

    /** One server on an empty directory; closing it stops it. */
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
                String said = Files.readString(errors);
                kill();
                throw new IOException("Expected the server's ready line, but found " + line + "; it said:\n" + said);
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
