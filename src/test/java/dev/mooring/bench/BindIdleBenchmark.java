package dev.mooring.bench;

import java.io.IOException;
import java.time.Duration;

/** What claims cost that wait for a volume which does not come, and for which nothing can be done: a server with them, one without, at the same time. */
final class BindIdleBenchmark implements Benchmark {
    private static final int CONNECTIONS = 32;
    private static final int SMALL_VOLUMES = 100;

    /** A share of one processor that nobody would look for; the counter's steps of 10 ms make 1 ms/s of it. */
    private static final double GOAL_MILLIS_PER_SECOND = 5;

    private static final Duration SETTLING_WINDOW = Duration.ofSeconds(2);
    private static final int MOST_SETTLING_WINDOWS = 30;

    @Override
    public String name() {
        return "bind-idle";
    }

    @Override
    public String title() {
        return "A server in which claims wait and nothing happens";
    }

    @Override
    public void run(Run run) throws Exception {
        int claims = run.choose(10_000, 2000);
        Duration window = Duration.ofSeconds(run.choose(20, 5));
        try (ApiServer empty = ApiServer.whole(run.newDirectory("idle"));
                ApiServer server = ApiServer.whole(run.newDirectory("idle-pending"));
                ApiClients clients = new ApiClients(server.access());
                ApiLoad load = new ApiLoad(server, clients, CONNECTIONS)) {
            run.step("creating " + claims + " claims that fit no volume");
            BindObjects objects = new BindObjects(server.access(), "new");
            load.run(connection -> objects.namespace(), 1);
            ApiRequest small = objects.smallVolume();
            ApiRequest claim = objects.claim();
            load.run(connection -> small, SMALL_VOLUMES);
            Stopwatch creating = new Stopwatch();
            load.run(connection -> claim, claims);
            load.close();
            run.step("letting both settle");
            settle(server);
            double settled = creating.seconds();
            Rounds with = new Rounds();
            Rounds without = new Rounds();
            int rounds = run.choose(3, 1);
            for (int round = 0; round < rounds; round++) {
                run.step("watching them do nothing, round " + (round + 1) + " of " + rounds);
                long before = server.cpuNanos();
                long emptyBefore = empty.cpuNanos();
                Stopwatch watch = new Stopwatch();
                Thread.sleep(window.toMillis());
                with.add(share(server.cpuNanos() - before, watch));
                without.add(share(empty.cpuNanos() - emptyBefore, watch));
            }
            run.report(Figure.of("CPU, " + claims + " Pending claims", Unit.CPU_SHARE, with)
                    .against("a server without", Unit.CPU_SHARE, without, ratio(with, without))
                    .goal(Goal.below(GOAL_MILLIS_PER_SECOND))
                    .detail("more than without", Unit.CPU_SHARE, with.median() - without.median())
                    .detail("all created and quiet after", Unit.SECONDS, settled)
                    .detail("window", Unit.SECONDS, (double) window.toSeconds())
                    .detail("resident memory", Unit.BYTES, server.residentBytes()));
        }
    }

    /** No steps of the counter at all is possible, and not a number to divide by. */
    private static Rounds ratio(Rounds with, Rounds without) {
        return Rounds.of(with.median() / Math.max(without.median(), 0.1));
    }

    private static double share(long nanos, Stopwatch watch) {
        return nanos / 1e6 / watch.seconds();
    }

    /** Until a window passes in which no more is done than in an idle server, or for as long as one is willing to wait. */
    private static void settle(ApiServer server) throws IOException, InterruptedException {
        for (int i = 0; i < MOST_SETTLING_WINDOWS; i++) {
            long before = server.cpuNanos();
            Stopwatch watch = new Stopwatch();
            Thread.sleep(SETTLING_WINDOW.toMillis());
            if (share(server.cpuNanos() - before, watch) < 2 * GOAL_MILLIS_PER_SECOND) {
                return;
            }
        }
    }
}
