package dev.mooring.bench;

import java.io.IOException;

/** Measures many claims created at once, with a matching volume for each, until a watch has seen all of them Bound. */
final class BindBurstBenchmark implements Benchmark {
    static final int CLAIMS = 500;

    private static final int CONNECTIONS = 32;
    private static final double GOAL_PER_SECOND = 2000;

    @Override
    public String name() {
        return "bind-burst";
    }

    @Override
    public String title() {
        return CLAIMS + " claims at once, until all are Bound";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        try (ApiServer server = ApiServer.withoutEngine(run.newDirectory("bind"));
                ApiServer alone = ApiServer.apiOnly(run.newDirectory("bind-alone"));
                ApiClients clients = new ApiClients(server.access());
                ApiClients aloneClients = new ApiClients(alone.access());
                ApiLoad load = new ApiLoad(alone, aloneClients, CONNECTIONS);
                BindFixture fixture = new BindFixture(server, clients)) {
            BindObjects objects = new BindObjects(alone.access(), "new");
            load.run(connection -> objects.namespace(), 1);
            RequestTemplate claim = objects.claim();
            run.step("the first burst");
            BindFixture.Burst first = fixture.burst(CLAIMS);
            load.run(connection -> claim, CLAIMS);
            run.step("warming up");
            ApiWarmUp.untilSteady(run.choose(40, 8), run.choose(60, 12), () -> {
                load.run(connection -> claim, CLAIMS);
                return fixture.burst(CLAIMS).seconds();
            });
            BurstResults results = new BurstResults();
            int rounds = run.choose(15, 5);
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds);
                results.add(fixture.burst(CLAIMS), load.run(connection -> claim, CLAIMS));
            }
            report(run, results, first, fixture);
        }
    }

    private static final class BurstResults {
        final Measurements rate = new Measurements();
        final Measurements created = new Measurements();
        final Measurements cpu = new Measurements();
        final Measurements ownCpu = new Measurements();
        final Measurements aloneRate = new Measurements();
        final Measurements aloneCpu = new Measurements();

        void add(BindFixture.Burst burst, ApiLoad.Result alone) {
            rate.add(burst.perSecond());
            created.add(burst.created());
            cpu.add(burst.serverCpu());
            ownCpu.add(burst.ownCpu());
            aloneRate.add(alone.perSecond());
            aloneCpu.add(alone.serverCpuEach());
        }
    }

    private static void report(BenchmarkRun run, BurstResults results, BindFixture.Burst first, BindFixture fixture)
            throws IOException {
        run.report(Figure.of("binds", MeasureUnit.PER_SECOND, results.rate)
                .against("only creating them", results.aloneRate)
                .goal(Goal.atLeast(GOAL_PER_SECOND))
                .detail("all Bound after", MeasureUnit.SECONDS, CLAIMS / results.rate.median())
                .detail("all created after", MeasureUnit.SECONDS, results.created.median())
                .note("volumes and claims at the end", Long.toString(fixture.objects()))
                .detail("resident memory", MeasureUnit.BYTES, fixture.server().residentBytes()));
        run.report(Figure.of("CPU of the server, each", MeasureUnit.SECONDS, results.cpu)
                .against("only creating it", results.aloneCpu)
                .detail("and of the generator", MeasureUnit.SECONDS, results.ownCpu.median()));
        run.report(Figure.of("in a server just started", MeasureUnit.PER_SECOND, Measurements.of(first.perSecond()))
                .detail("all Bound after", MeasureUnit.SECONDS, first.seconds())
                .detail("all created after", MeasureUnit.SECONDS, first.created())
                .detail("CPU of the server, each", MeasureUnit.SECONDS, first.serverCpu()));
    }
}
