package dev.mooring.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;

/** From the creation of one Pod until a watch has seen all of its volumes Mounted, on an empty node and on one with very many volumes, in turns. */
final class VolumeMountBenchmark implements Benchmark {
    /** A Pod costs the same however many volumes there are; the rest is noise. */
    private static final double GOAL = 1.25;

    @Override
    public String name() {
        return "volume-mount";
    }

    @Override
    public String title() {
        return "From the creation of one Pod to all of its volumes Mounted, seen by a watch";
    }

    @Override
    public void run(Run run) throws Exception {
        int volumes = run.choose(10_000, 1_000);
        int count = run.choose(200, 40);
        int rounds = run.choose(5, 3);
        Path few = run.newDirectory("volumes");
        Path many = run.newDirectory("volumes-many");
        Path bare = run.newDirectory("volumes-bare");
        Duration appending = Duration.ofMillis(run.choose(1000, 300));
        try (VolumeMounts fewMounts = new VolumeMounts(few);
                VolumeMounts manyMounts = new VolumeMounts(many);
                VolumeMounts bareMounts = new VolumeMounts(bare);
                LoneAppend append = new LoneAppend(run.newDirectory("ledger"));
                ApiServer server = ApiServer.whole(few);
                ApiServer crowded = ApiServer.whole(many);
                VolumeStage stage = new VolumeStage(server, few);
                VolumeStage crowd = new VolumeStage(crowded, many)) {
            VolumeBareMounts calls = new VolumeBareMounts(bare);
            run.step("warming up");
            append.warmUp(appending.multipliedBy(3));
            for (int i = 0; i < run.choose(10, 2); i++) {
                measure(new Seen(), count, calls::cycle);
                measure(new Seen(), count, stage::cycle);
                measure(new Seen(), count, crowd::cycle);
            }
            Seen alone = new Seen();
            Seen yardstick = new Seen();
            Seen inCrowd = new Seen();
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds + " on an empty node");
                append.round(appending);
                measure(yardstick, count, calls::cycle);
                measure(alone, count, stage::cycle);
            }
            report(run, alone, yardstick, append);
            run.step("mounting " + volumes + " volumes");
            Stopwatch filling = new Stopwatch();
            crowd.fill(volumes);
            double filled = filling.seconds();
            int there = manyMounts.points().size();
            Seen empty = new Seen();
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds + " among " + volumes + " volumes");
                measure(empty, count, stage::cycle);
                measure(inCrowd, count, crowd::cycle);
            }
            reportCrowd(run, volumes, inCrowd, empty);
            run.report(Figure.of("mounting them", Unit.PER_SECOND, Rounds.of(volumes / filled))
                    .note("of these are mounts of the kernel", Integer.toString(there))
                    .detail("resident memory", Unit.BYTES, crowded.residentBytes())
                    .detail("without them", Unit.BYTES, server.residentBytes()));
        }
    }

    /** Percentiles, round by round. */
    private static final class Seen {
        final Rounds p50 = new Rounds();
        final Rounds p99 = new Rounds();
        final Rounds goneP50 = new Rounds();
        final Rounds goneP99 = new Rounds();
    }

    private static void measure(Seen seen, int count, Callable<VolumeStage.Cycle> cycle) throws Exception {
        Rounds up = new Rounds();
        Rounds down = new Rounds();
        for (int i = 0; i < count; i++) {
            VolumeStage.Cycle one = cycle.call();
            up.add(one.mounted());
            down.add(one.gone());
        }
        seen.p50.add(up.median());
        seen.p99.add(up.percentile(99));
        seen.goneP50.add(down.median());
        seen.goneP99.add(down.percentile(99));
    }

    private static void report(Run run, Seen seen, Seen bare, LoneAppend append) {
        run.report(Figure.of("its " + VolumeStage.VOLUMES_OF_ONE + " volumes Mounted, p50", Unit.SECONDS, seen.p50)
                .against("the bare mounts, p50", bare.p50)
                .detail("a durable append, p50", Unit.SECONDS, append.p50.median()));
        run.report(Figure.of("the same, p99", Unit.SECONDS, seen.p99)
                .against("the bare mounts, p99", bare.p99)
                .detail("a durable append, p99", Unit.SECONDS, append.p99.median()));
        run.report(Figure.of("deleted, and all of them gone, p50", Unit.SECONDS, seen.goneP50)
                .against("the bare mounts, p50", bare.goneP50));
    }

    private static void reportCrowd(Run run, int volumes, Seen seen, Seen empty) {
        String among = ", " + volumes + " volumes mounted";
        run.report(Figure.of("Mounted, p50" + among, Unit.SECONDS, seen.p50)
                .against("an empty node", empty.p50)
                .goal(Goal.ratioBelow(GOAL)));
        run.report(Figure.of("Mounted, p99" + among, Unit.SECONDS, seen.p99).against("an empty node", empty.p99));
        run.report(Figure.of("gone, p50" + among, Unit.SECONDS, seen.goneP50)
                .against("an empty node", empty.goneP50)
                .goal(Goal.ratioBelow(GOAL)));
    }
}
