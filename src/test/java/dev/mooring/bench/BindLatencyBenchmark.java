package dev.mooring.bench;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * Measures from the creation of one claim until a watch sees it Bound, with its volume created before or at the same
 * time.
 */
final class BindLatencyBenchmark implements Benchmark {
    private static final double P50_GOAL_SECONDS = 3e-3;
    private static final double P99_GOAL_SECONDS = 10e-3;

    /** Warms up with bursts, which trigger compilation sooner than single claims, and then with single claims. */
    static void warmUp(BenchmarkRun run, BindFixture... fixtures) throws Exception {
        int size = BindBurstBenchmark.CLAIMS;
        ApiWarmUp.untilSteady(run.choose(20, 4), run.choose(30, 6), () -> {
            double seconds = 0;
            for (BindFixture fixture : fixtures) {
                seconds += fixture.burst(size).seconds();
            }
            return seconds;
        });
        for (BindFixture.Order order : BindFixture.Order.values()) {
            ApiWarmUp.untilSteady(run.choose(4, 1), run.choose(8, 2), () -> {
                double seconds = 0;
                for (BindFixture fixture : fixtures) {
                    seconds += fixture.oneByOne(order, size).median();
                }
                return seconds;
            });
        }
    }

    /** Percentiles of each round. */
    static final class LatencyResults {
        final Measurements p50 = new Measurements();
        final Measurements p99 = new Measurements();
        final Measurements slowest = new Measurements();

        void add(Measurements seconds) {
            p50.add(seconds.median());
            p99.add(seconds.percentile(99));
            slowest.add(seconds.max());
        }
    }

    @Override
    public String name() {
        return "bind-latency";
    }

    @Override
    public String title() {
        return "From the creation of one claim to Bound, seen by a watch";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        int count = run.choose(1000, 200);
        int rounds = run.choose(5, 3);
        Map<BindFixture.Order, LatencyResults> results = new EnumMap<>(BindFixture.Order.class);
        Duration appending = Duration.ofMillis(run.choose(1000, 300));
        try (SingleWriterAppend append = new SingleWriterAppend(run.newDirectory("ledger"));
                ApiServer server = ApiServer.withoutEngine(run.newDirectory("bind"));
                ApiClients clients = new ApiClients(server.access());
                BindFixture fixture = new BindFixture(server, clients)) {
            run.step("warming up");
            append.warmUp(appending.multipliedBy(3));
            warmUp(run, fixture);
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds);
                append.round(appending);
                for (BindFixture.Order order : BindFixture.Order.values()) {
                    results.computeIfAbsent(order, each -> new LatencyResults()).add(fixture.oneByOne(order, count));
                }
            }
            results.forEach((order, all) -> report(run, order, all, append));
        }
    }

    private static void report(
            BenchmarkRun run, BindFixture.Order order, LatencyResults results, SingleWriterAppend append) {
        run.report(Figure.of(order.text + ", p50", MeasureUnit.SECONDS, results.p50)
                .against("a durable append, p50", append.p50)
                .goal(Goal.below(P50_GOAL_SECONDS)));
        run.report(Figure.of(order.text + ", p99", MeasureUnit.SECONDS, results.p99)
                .against("a durable append, p99", append.p99)
                .goal(Goal.below(P99_GOAL_SECONDS))
                .detail("slowest", MeasureUnit.SECONDS, results.slowest.max()));
    }
}
