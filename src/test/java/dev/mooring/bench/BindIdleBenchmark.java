package dev.mooring.bench;

import java.io.IOException;
import java.time.Duration;

/** Measures the cost of claims that wait for a volume: a server with them and one without, at the same time. */
final class BindIdleBenchmark implements Benchmark {
    private static final int CONNECTIONS = 32;
    private static final int SMALL_VOLUMES = 100;

    /** A negligible share of one processor; the counter's resolution of 10 ms is 1 ms/s of it. */
    private static final double GOAL_MILLIS_PER_SECOND = 5;

    private static final Duration SETTLING_WINDOW = Duration.ofSeconds(2);
    private static final int MAX_SETTLING_WINDOWS = 30;

    @Override
    public String name() {
        return "bind-idle";
    }

    @Override
    public String title() {
        return "A server in which claims wait and nothing happens";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        int claims = run.choose(10_000, 2000);
        Duration window = Duration.ofSeconds(run.choose(20, 5));
        try (ApiServer empty = ApiServer.withoutEngine(run.newDirectory("idle"));
                ApiServer server = ApiServer.withoutEngine(run.newDirectory("idle-pending"));
                ApiClients clients = new ApiClients(server.access());
                ApiLoad load = new ApiLoad(server, clients, CONNECTIONS)) {
            run.step("creating " + claims + " claims that fit no volume");
            BindObjects objects = new BindObjects(server.access(), "new");
            load.run(connection -> objects.namespace(), 1);
            RequestTemplate small = objects.smallVolume();
            RequestTemplate claim = objects.claim();
            load.run(connection -> small, SMALL_VOLUMES);
            Stopwatch creating = new Stopwatch();
            load.run(connection -> claim, claims);
            load.close();
            run.step("letting both settle");
            settle(server);
            double settled = creating.seconds();
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
            run.report(Figure.of("CPU, " + claims + " Pending claims", MeasureUnit.CPU_SHARE, with)
                    .against("a server without", MeasureUnit.CPU_SHARE, without, ratio(with, without))
                    .goal(Goal.below(GOAL_MILLIS_PER_SECOND))
                    .detail("more than without", MeasureUnit.CPU_SHARE, with.median() - without.median())
                    .detail("all created and quiet after", MeasureUnit.SECONDS, settled)
                    .detail("window", MeasureUnit.SECONDS, (double) window.toSeconds())
                    .detail("resident memory", MeasureUnit.BYTES, server.residentBytes()));
        }
    }

    /** Returns the ratio; the counter may show no time at all, which cannot be a divisor. */
    private static Measurements ratio(Measurements with, Measurements without) {
        return Measurements.of(with.median() / Math.max(without.median(), 0.1));
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
