package dev.mooring.bench;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** From the creation of one claim until a watch sees it Bound, with its volume there before or created in the same instant. */
final class BindLatencyBenchmark implements Benchmark {
    private static final double P50_GOAL_SECONDS = 3e-3;
    private static final double P99_GOAL_SECONDS = 10e-3;

    /** Bursts compile the same code sooner than single claims do. */
    static void warmUp(Run run, BindStage... stages) throws Exception {
        int size = BindBurstBenchmark.CLAIMS;
        ApiWarmUp.untilSteady(run.choose(20, 4), run.choose(30, 6), () -> {
            double seconds = 0;
            for (BindStage stage : stages) {
                seconds += stage.burst(size).seconds();
            }
            return seconds;
        });
        for (BindStage.Order order : BindStage.Order.values()) {
            ApiWarmUp.untilSteady(run.choose(4, 1), run.choose(8, 2), () -> {
                double seconds = 0;
                for (BindStage stage : stages) {
                    seconds += stage.oneByOne(order, size).median();
                }
                return seconds;
            });
        }
    }

    /** Percentiles, round by round. */
    static final class Seen {
        final Rounds p50 = new Rounds();
        final Rounds p99 = new Rounds();
        final Rounds slowest = new Rounds();

        void add(Rounds seconds) {
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
    public void run(Run run) throws Exception {
        int count = run.choose(1000, 200);
        int rounds = run.choose(5, 3);
        Map<BindStage.Order, Seen> seen = new EnumMap<>(BindStage.Order.class);
        Duration appending = Duration.ofMillis(run.choose(1000, 300));
        try (LoneAppend append = new LoneAppend(run.newDirectory("ledger"));
                ApiServer server = ApiServer.whole(run.newDirectory("bind"));
                ApiClients clients = new ApiClients(server.access());
                BindStage stage = new BindStage(server, clients)) {
            run.step("warming up");
            append.warmUp(appending.multipliedBy(3));
            warmUp(run, stage);
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds);
                append.round(appending);
                for (BindStage.Order order : BindStage.Order.values()) {
                    seen.computeIfAbsent(order, each -> new Seen()).add(stage.oneByOne(order, count));
                }
            }
            seen.forEach((order, all) -> report(run, order, all, append));
        }
    }

    private static void report(Run run, BindStage.Order order, Seen seen, LoneAppend append) {
        run.report(Figure.of(order.text + ", p50", Unit.SECONDS, seen.p50)
                .against("a durable append, p50", append.p50)
                .goal(Goal.below(P50_GOAL_SECONDS)));
        run.report(Figure.of(order.text + ", p99", Unit.SECONDS, seen.p99)
                .against("a durable append, p99", append.p99)
                .goal(Goal.below(P99_GOAL_SECONDS))
                .detail("slowest", Unit.SECONDS, seen.slowest.max()));
    }
}
