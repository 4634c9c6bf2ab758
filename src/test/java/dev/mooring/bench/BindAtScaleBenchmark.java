package dev.mooring.bench;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Compares binding in a server with very many bound volumes and claims and in one without, alternating. */
final class BindAtScaleBenchmark implements Benchmark {
    private static final double GOAL = 1.5;
    private static final String WITHOUT = "without them";

    @Override
    public String name() {
        return "bind-crowd";
    }

    @Override
    public String title() {
        return "Binding among very many volumes and claims that are bound";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        int pairs = run.choose(100_000, 20_000);
        try (ApiServer server = ApiServer.withoutEngine(run.newDirectory("bind"));
                ApiServer crowded = ApiServer.withoutEngine(run.newDirectory("bind-crowded"));
                ApiClients clients = new ApiClients(server.access());
                ApiClients crowdedClients = new ApiClients(crowded.access())) {
            run.step("creating and binding " + pairs + " volumes and claims");
            Stopwatch watch = new Stopwatch();
            BindBackgroundLoad.create(crowded, crowdedClients, pairs);
            double seconds = watch.seconds();
            try (BindFixture fixture = new BindFixture(server, clients);
                    BindFixture crowdedFixture = new BindFixture(crowded, crowdedClients)) {
                compare(run, pairs, fixture, crowdedFixture);
            }
            run.report(Figure.of("creating and binding them", MeasureUnit.PER_SECOND, Measurements.of(pairs / seconds))
                    .note("is", "pairs created and bound, each claim naming its volume")
                    .detail("all after", MeasureUnit.SECONDS, seconds)
                    .detail("resident memory", MeasureUnit.BYTES, crowded.residentBytes())
                    .detail(WITHOUT, MeasureUnit.BYTES, server.residentBytes()));
        }
    }

    private static void compare(BenchmarkRun run, int pairs, BindFixture fixture, BindFixture crowdedFixture)
            throws Exception {
        run.step("warming up");
        BindLatencyBenchmark.warmUp(run, fixture, crowdedFixture);
        ScaleResults alone = new ScaleResults();
        ScaleResults inCrowd = new ScaleResults();
        int rounds = run.choose(5, 3);
        for (int round = 0; round < rounds; round++) {
            run.step("round " + (round + 1) + " of " + rounds);
            alone.measure(run, fixture);
            inCrowd.measure(run, crowdedFixture);
        }
        report(run, pairs, alone, inCrowd);
    }

    /** Measurements of one server. */
    private static final class ScaleResults {
        final Measurements rate = new Measurements();
        final Measurements cpu = new Measurements();
        final Map<BindFixture.Order, BindLatencyBenchmark.LatencyResults> oneByOne =
                new EnumMap<>(BindFixture.Order.class);

        void measure(BenchmarkRun run, BindFixture fixture) throws IOException, InterruptedException {
            Measurements rates = new Measurements();
            Measurements cpus = new Measurements();
            for (int i = 0; i < run.choose(5, 2); i++) {
                BindFixture.Burst burst = fixture.burst(BindBurstBenchmark.CLAIMS);
                rates.add(burst.perSecond());
                cpus.add(burst.serverCpu());
            }
            rate.add(rates.median());
            cpu.add(cpus.median());
            for (BindFixture.Order order : BindFixture.Order.values()) {
                oneByOne.computeIfAbsent(order, each -> new BindLatencyBenchmark.LatencyResults())
                        .add(fixture.oneByOne(order, run.choose(1000, 200)));
            }
        }
    }

    private static void report(BenchmarkRun run, int pairs, ScaleResults alone, ScaleResults inCrowd) {
        run.report(Figure.of("binds, " + BindBurstBenchmark.CLAIMS + " at once", MeasureUnit.PER_SECOND, inCrowd.rate)
                .against(WITHOUT, alone.rate)
                .goal(Goal.ratioAtLeast(1 / GOAL))
                .note("pairs that are there", String.format(Locale.ROOT, "%,d", pairs)));
        run.report(Figure.of("CPU of the server, each of these", MeasureUnit.SECONDS, inCrowd.cpu)
                .against(WITHOUT, alone.cpu));
        inCrowd.oneByOne.forEach((order, seen) -> {
            BindLatencyBenchmark.LatencyResults other = alone.oneByOne.get(order);
            run.report(Figure.of(order.text + ", p50", MeasureUnit.SECONDS, seen.p50)
                    .against(WITHOUT, other.p50)
                    .goal(Goal.ratioBelow(GOAL)));
            run.report(Figure.of(order.text + ", p99", MeasureUnit.SECONDS, seen.p99)
                    .against(WITHOUT, other.p99)
                    .goal(Goal.ratioBelow(GOAL))
                    .detail("slowest", MeasureUnit.SECONDS, seen.slowest.max())
                    .detail("slowest " + WITHOUT, MeasureUnit.SECONDS, other.slowest.max()));
        });
    }
}
