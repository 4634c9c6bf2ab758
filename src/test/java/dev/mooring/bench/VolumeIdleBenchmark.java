package dev.mooring.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** What volumes cost that are mounted while nothing happens: a server with them and one without, at the same time. */
final class VolumeIdleBenchmark implements Benchmark {
    /** A share of one processor that nobody would look for; the counter's steps of 10 ms make 1 ms/s of it. */
    private static final double GOAL_MILLIS_PER_SECOND = 5;

    private static final Duration SETTLING_WINDOW = Duration.ofSeconds(2);
    private static final int MOST_SETTLING_WINDOWS = 30;

    @Override
    public String name() {
        return "volume-idle";
    }

    @Override
    public String title() {
        return "A node on which volumes are mounted and nothing happens";
    }

    @Override
    public void run(Run run) throws Exception {
        int volumes = run.choose(10_000, 1_000);
        Duration window = Duration.ofSeconds(run.choose(60, 10));
        Path directory = run.newDirectory("volumes-idle");
        try (VolumeMounts mounts = new VolumeMounts(directory);
                ApiServer empty = ApiServer.whole(run.newDirectory("idle"));
                ApiServer server = ApiServer.whole(directory)) {
            run.step("mounting " + volumes + " volumes");
            try (VolumeStage stage = new VolumeStage(server, directory)) {
                stage.fill(volumes);
            }
            run.step("letting both settle");
            settle(server);
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
            Rounds ratio = Rounds.of(with.median() / Math.max(without.median(), 0.1));
            run.report(Figure.of("CPU, " + volumes + " mounted volumes", Unit.CPU_SHARE, with)
                    .against("a server without", Unit.CPU_SHARE, without, ratio)
                    .goal(Goal.below(GOAL_MILLIS_PER_SECOND))
                    .note(
                            "of these are mounts of the kernel",
                            Integer.toString(mounts.points().size()))
                    .detail("more than without", Unit.CPU_SHARE, with.median() - without.median())
                    .detail("window", Unit.SECONDS, (double) window.toSeconds())
                    .detail("resident memory", Unit.BYTES, server.residentBytes())
                    .detail("without them", Unit.BYTES, empty.residentBytes()));
        }
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
