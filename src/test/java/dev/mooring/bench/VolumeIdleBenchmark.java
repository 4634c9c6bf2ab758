package dev.mooring.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Measures the cost of mounted volumes on an idle node: a server with them and one without, at the same time. */
final class VolumeIdleBenchmark implements Benchmark {
    /** A negligible share of one processor; the counter's resolution of 10 ms is 1 ms/s of it. */
    private static final double GOAL_MILLIS_PER_SECOND = 5;

    private static final Duration SETTLING_WINDOW = Duration.ofSeconds(2);
    private static final int MAX_SETTLING_WINDOWS = 30;

    @Override
    public String name() {
        return "volume-idle";
    }

    @Override
    public String title() {
        return "A node on which volumes are mounted and nothing happens";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        int volumes = run.choose(10_000, 1_000);
        Duration window = Duration.ofSeconds(run.choose(60, 10));
        Path directory = run.newDirectory("volumes-idle");
        try (BenchmarkMounts mounts = new BenchmarkMounts(directory);
                ApiServer empty = ApiServer.withoutEngine(run.newDirectory("idle"));
                ApiServer server = ApiServer.withoutEngine(directory)) {
            run.step("mounting " + volumes + " volumes");
            try (VolumeMountFixture fixture = new VolumeMountFixture(server, directory)) {
                fixture.fill(volumes);
            }
            run.step("letting both settle");
            settle(server);
            Measurements with = new Measurements();
            Measurements without = new Measurements();
            int rounds = run.choose(3, 1);
            for (int round = 0; round < rounds; round++) {
                run.step("measuring both idle servers, round " + (round + 1) + " of " + rounds);
                long before = server.cpuNanos();
                long emptyBefore = empty.cpuNanos();
                Stopwatch watch = new Stopwatch();
                Thread.sleep(window.toMillis());
                with.add(share(server.cpuNanos() - before, watch));
                without.add(share(empty.cpuNanos() - emptyBefore, watch));
            }
            Measurements ratio = Measurements.of(with.median() / Math.max(without.median(), 0.1));
            run.report(Figure.of("CPU, " + volumes + " mounted volumes", MeasureUnit.CPU_SHARE, with)
                    .against("a server without", MeasureUnit.CPU_SHARE, without, ratio)
                    .goal(Goal.below(GOAL_MILLIS_PER_SECOND))
                    .note(
                            "of these are mounts of the kernel",
                            Integer.toString(mounts.points().size()))
                    .detail("more than without", MeasureUnit.CPU_SHARE, with.median() - without.median())
                    .detail("window", MeasureUnit.SECONDS, (double) window.toSeconds())
                    .detail("resident memory", MeasureUnit.BYTES, server.residentBytes())
                    .detail("without them", MeasureUnit.BYTES, empty.residentBytes()));
        }
    }

    private static double share(long nanos, Stopwatch watch) {
        return nanos / 1e6 / watch.seconds();
    }

    /** Waits for a window with no more activity than in an idle server, up to a limit. */
    private static void settle(ApiServer server) throws IOException, InterruptedException {
        for (int i = 0; i < MAX_SETTLING_WINDOWS; i++) {
            long before = server.cpuNanos();
            Stopwatch watch = new Stopwatch();
            Thread.sleep(SETTLING_WINDOW.toMillis());
            if (share(server.cpuNanos() - before, watch) < 2 * GOAL_MILLIS_PER_SECOND) {
                return;
            }
        }
    }
}
