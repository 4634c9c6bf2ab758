package dev.mooring.bench;

import java.io.IOException;

/** Many claims created at once, with a fitting volume for each, until a watch has seen all of them Bound. */
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
    public void run(Run run) throws Exception {
        try (ApiServer server = ApiServer.whole(run.newDirectory("bind"));
                ApiServer alone = ApiServer.apiAlone(run.newDirectory("bind-alone"));
                ApiClients clients = new ApiClients(server.access());
                ApiClients aloneClients = new ApiClients(alone.access());
                ApiLoad load = new ApiLoad(alone, aloneClients, CONNECTIONS);
                BindStage stage = new BindStage(server, clients)) {
            BindObjects objects = new BindObjects(alone.access(), "new");
            load.run(connection -> objects.namespace(), 1);
            ApiRequest claim = objects.claim();
            run.step("the first burst");
            BindStage.Burst first = stage.burst(CLAIMS);
            load.run(connection -> claim, CLAIMS);
            run.step("warming up");
            ApiWarmUp.untilSteady(run.choose(40, 8), run.choose(60, 12), () -> {
                load.run(connection -> claim, CLAIMS);
                return stage.burst(CLAIMS).seconds();
            });
            Seen seen = new Seen();
            int rounds = run.choose(15, 5);
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds);
                seen.add(stage.burst(CLAIMS), load.run(connection -> claim, CLAIMS));
            }
            report(run, seen, first, stage);
        }
    }

    private static final class Seen {
        final Rounds rate = new Rounds();
        final Rounds created = new Rounds();
        final Rounds cpu = new Rounds();
        final Rounds ownCpu = new Rounds();
        final Rounds aloneRate = new Rounds();
        final Rounds aloneCpu = new Rounds();

        void add(BindStage.Burst burst, ApiLoad.Result alone) {
            rate.add(burst.perSecond());
            created.add(burst.created());
            cpu.add(burst.serverCpu());
            ownCpu.add(burst.ownCpu());
            aloneRate.add(alone.perSecond());
            aloneCpu.add(alone.serverCpuEach());
        }
    }

    private static void report(Run run, Seen seen, BindStage.Burst first, BindStage stage) throws IOException {
        run.report(Figure.of("binds", Unit.PER_SECOND, seen.rate)
                .against("only creating them", seen.aloneRate)
                .goal(Goal.atLeast(GOAL_PER_SECOND))
                .detail("all Bound after", Unit.SECONDS, CLAIMS / seen.rate.median())
                .detail("all created after", Unit.SECONDS, seen.created.median())
                .note("volumes and claims at the end", Long.toString(stage.objects()))
                .detail("resident memory", Unit.BYTES, stage.server().residentBytes()));
        run.report(Figure.of("CPU of the server, each", Unit.SECONDS, seen.cpu)
                .against("only creating it", seen.aloneCpu)
                .detail("and of the generator", Unit.SECONDS, seen.ownCpu.median()));
        run.report(Figure.of("in a server just started", Unit.PER_SECOND, Rounds.of(first.perSecond()))
                .detail("all Bound after", Unit.SECONDS, first.seconds())
                .detail("all created after", Unit.SECONDS, first.created())
                .detail("CPU of the server, each", Unit.SECONDS, first.serverCpu()));
    }
}
