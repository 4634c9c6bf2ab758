package dev.mooring.bench;

import dev.mooring.testing.RealEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Measures {@code docker run} with a claim as its volume, alternating with a local named volume of Docker. */
final class DockerVolumeBenchmark implements Benchmark {
    private static final Path PLUGINS = Path.of("/run/docker/plugins");
    private static final double EXTRA_SECONDS = 0.060;
    private static final Duration PERIOD = Duration.ofMillis(20);
    private static final int MAX_PERIODS = 1500;

    @Override
    public String name() {
        return "docker-volume";
    }

    @Override
    public String title() {
        return "docker run with a claim as its volume";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        Path directory = run.newDirectory("docker-volume");
        String driver = "mooring-bench-" + ProcessHandle.current().pid();
        Path socket = PLUGINS.resolve(driver + ".sock");
        run.step("starting an engine");
        RealEngine engine = RealEngine.shared();
        Files.createDirectories(PLUGINS);
        try (BenchmarkMounts mounts = new BenchmarkMounts(directory);
                ApiServer server = ApiServer.withEngine(directory, engine.host(), socket.toString())) {
            for (int i = 0; i < MAX_PERIODS && !Files.exists(socket); i++) {
                LockSupport.parkNanos(PERIOD.toNanos());
            }
            String claim = driver + "-claim";
            String local = driver + "-local";
            docker(engine, "volume", "create", "-d", driver, "-o", "size=64Mi", claim);
            docker(engine, "volume", "create", local);
            try {
                measure(run, engine, claim, local);
            } finally {
                docker(engine, "volume", "rm", claim, local);
            }
        }
    }

    private static void measure(BenchmarkRun run, RealEngine engine, String claim, String local) throws Exception {
        run.step("warming up");
        for (int i = 0; i < run.choose(10, 1); i++) {
            start(engine, claim);
            start(engine, local);
        }
        Measurements claims = new Measurements();
        Measurements locals = new Measurements();
        int count = run.choose(40, 3);
        for (int i = 0; i < count; i++) {
            run.step("container " + (i + 1) + " of " + count);
            claims.add(start(engine, claim));
            locals.add(start(engine, local));
        }
        run.report(Figure.of("docker run --rm, Mooring volume", MeasureUnit.SECONDS, claims)
                .against("docker run --rm, local volume", locals)
                .goal(Goal.below(locals.median() + EXTRA_SECONDS)));
    }

    private static double start(RealEngine engine, String volume) throws IOException, InterruptedException {
        long start = System.nanoTime();
        docker(engine, "run", "--rm", "--network=none", "-v", volume + ":/data", PodObjects.IMAGE, "true");
        return (System.nanoTime() - start) / 1e9;
    }

    private static void docker(RealEngine engine, String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("docker", "-H", engine.host()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed: " + output);
        }
    }
}
