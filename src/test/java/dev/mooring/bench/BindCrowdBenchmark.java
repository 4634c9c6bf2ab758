package dev.mooring.bench;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Binding among very many volumes and claims that have each other already, and in a server without them, in turns. */
final class BindCrowdBenchmark implements Benchmark {
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
    public void run(Run run) throws Exception {
        int pairs = run.choose(100_000, 20_000);
        try (ApiServer server = ApiServer.whole(run.newDirectory("bind"));
                ApiServer crowded = ApiServer.whole(run.newDirectory("bind-crowded"));
                ApiClients clients = new ApiClients(server.access());
                ApiClients crowdedClients = new ApiClients(crowded.access())) {
            run.step("creating and binding " + pairs + " volumes and claims");
            Stopwatch watch = new Stopwatch();
            BindCrowd.layDown(crowded, crowdedClients, pairs);
            double seconds = watch.seconds();
            try (BindStage stage = new BindStage(server, clients);
                    BindStage crowdedStage = new BindStage(crowded, crowdedClients)) {
                compare(run, pairs, stage, crowdedStage);
            }
            run.report(Figure.of("creating and binding them", Unit.PER_SECOND, Rounds.of(pairs / seconds))
                    .note("is", "pairs created and bound, each claim naming its volume")
                    .detail("all after", Unit.SECONDS, seconds)
                    .detail("resident memory", Unit.BYTES, crowded.residentBytes())
                    .detail(WITHOUT, Unit.BYTES, server.residentBytes()));
        }
    }

    private static void compare(Run run, int pairs, BindStage stage, BindStage crowdedStage) throws Exception {
        run.step("warming up");
        BindLatencyBenchmark.warmUp(run, stage, crowdedStage);
        Seen alone = new Seen();
        Seen inCrowd = new Seen();
        int rounds = run.choose(5, 3);
        for (int round = 0; round < rounds; round++) {
            run.step("round " + (round + 1) + " of " + rounds);
            alone.measure(run, stage);
            inCrowd.measure(run, crowdedStage);
        }
        report(run, pairs, alone, inCrowd);
    }

    /** One of the servers. */
    private static final class Seen {
        final Rounds rate = new Rounds();
        final Rounds cpu = new Rounds();
        final Map<BindStage.Order, BindLatencyBenchmark.Seen> oneByOne = new EnumMap<>(BindStage.Order.class);

        void measure(Run run, BindStage stage) throws IOException, InterruptedException {
            Rounds rates = new Rounds();
            Rounds cpus = new Rounds();
            for (int i = 0; i < run.choose(5, 2); i++) {
                BindStage.Burst burst = stage.burst(BindBurstBenchmark.CLAIMS);
                rates.add(burst.perSecond());
                cpus.add(burst.serverCpu());
            }
            rate.add(rates.median());
            cpu.add(cpus.median());
            for (BindStage.Order order : BindStage.Order.values()) {
                oneByOne.computeIfAbsent(order, each -> new BindLatencyBenchmark.Seen())
                        .add(stage.oneByOne(order, run.choose(1000, 200)));
            }
        }
    }

    private static void report(Run run, int pairs, Seen alone, Seen inCrowd) {
        run.report(Figure.of("binds, " + BindBurstBenchmark.CLAIMS + " at once", Unit.PER_SECOND, inCrowd.rate)
                .against(WITHOUT, alone.rate)
                .goal(Goal.ratioAtLeast(1 / GOAL))
                .note("pairs that are there", String.format(Locale.ROOT, "%,d", pairs)));
        run.report(Figure.of("CPU of the server, each of these", Unit.SECONDS, inCrowd.cpu)
                .against(WITHOUT, alone.cpu));
        inCrowd.oneByOne.forEach((order, seen) -> {
            BindLatencyBenchmark.Seen other = alone.oneByOne.get(order);
            run.report(Figure.of(order.text + ", p50", Unit.SECONDS, seen.p50)
                    .against(WITHOUT, other.p50)
                    .goal(Goal.ratioBelow(GOAL)));
            run.report(Figure.of(order.text + ", p99", Unit.SECONDS, seen.p99)
                    .against(WITHOUT, other.p99)
                    .goal(Goal.ratioBelow(GOAL))
                    .detail("slowest", Unit.SECONDS, seen.slowest.max())
                    .detail("slowest " + WITHOUT, Unit.SECONDS, other.slowest.max()));
        });
    }
}
