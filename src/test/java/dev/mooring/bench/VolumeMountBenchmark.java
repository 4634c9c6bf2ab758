package dev.mooring.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Measures from the creation of one Pod until a watch has seen all of its volumes Mounted, on an empty node and on one
 * with very many volumes, alternating.
 */
final class VolumeMountBenchmark implements Benchmark {
    /** The cost of a Pod does not depend on the number of volumes; the rest is noise. */
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
    public void run(BenchmarkRun run) throws Exception {
        int volumes = run.choose(10_000, 1_000);
        int count = run.choose(200, 40);
        int rounds = run.choose(5, 3);
        Path few = run.newDirectory("volumes");
        Path many = run.newDirectory("volumes-many");
        Path bare = run.newDirectory("volumes-bare");
        Duration appending = Duration.ofMillis(run.choose(1000, 300));
        try (BenchmarkMounts fewMounts = new BenchmarkMounts(few);
                BenchmarkMounts manyMounts = new BenchmarkMounts(many);
                BenchmarkMounts bareMounts = new BenchmarkMounts(bare);
                SingleWriterAppend append = new SingleWriterAppend(run.newDirectory("ledger"));
                ApiServer server = ApiServer.withoutEngine(few);
                ApiServer crowded = ApiServer.withoutEngine(many);
                VolumeMountFixture fixture = new VolumeMountFixture(server, few);
                VolumeMountFixture crowd = new VolumeMountFixture(crowded, many)) {
            VolumeMountBaseline calls = new VolumeMountBaseline(bare);
            run.step("warming up");
            append.warmUp(appending.multipliedBy(3));
            for (int i = 0; i < run.choose(10, 2); i++) {
                measure(new MountResults(), count, calls::cycle);
                measure(new MountResults(), count, fixture::cycle);
                measure(new MountResults(), count, crowd::cycle);
            }
            MountResults alone = new MountResults();
            MountResults yardstick = new MountResults();
            MountResults inCrowd = new MountResults();
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds + " on an empty node");
                append.round(appending);
                measure(yardstick, count, calls::cycle);
                measure(alone, count, fixture::cycle);
            }
            report(run, alone, yardstick, append);
            run.step("mounting " + volumes + " volumes");
            Stopwatch filling = new Stopwatch();
            crowd.fill(volumes);
            double filled = filling.seconds();
            int kernelMounts = manyMounts.points().size();
            MountResults empty = new MountResults();
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds + " among " + volumes + " volumes");
                measure(empty, count, fixture::cycle);
                measure(inCrowd, count, crowd::cycle);
            }
            reportCrowd(run, volumes, inCrowd, empty);
            run.report(Figure.of("mounting them", MeasureUnit.PER_SECOND, Measurements.of(volumes / filled))
                    .note("of these are mounts of the kernel", Integer.toString(kernelMounts))
                    .detail("resident memory", MeasureUnit.BYTES, crowded.residentBytes())
                    .detail("without them", MeasureUnit.BYTES, server.residentBytes()));
        }
    }

    /** Percentiles of each round. */
    private static final class MountResults {
        final Measurements p50 = new Measurements();
        final Measurements p99 = new Measurements();
        final Measurements goneP50 = new Measurements();
        final Measurements goneP99 = new Measurements();
    }

    private static void measure(MountResults results, int count, Callable<VolumeMountFixture.Cycle> cycle)
            throws Exception {
        Measurements up = new Measurements();
        Measurements down = new Measurements();
        for (int i = 0; i < count; i++) {
            VolumeMountFixture.Cycle one = cycle.call();
            up.add(one.mounted());
            down.add(one.gone());
        }
        results.p50.add(up.median());
        results.p99.add(up.percentile(99));
        results.goneP50.add(down.median());
        results.goneP99.add(down.percentile(99));
    }

    private static void report(BenchmarkRun run, MountResults results, MountResults bare, SingleWriterAppend append) {
        run.report(Figure.of(
                        "its " + VolumeMountFixture.VOLUMES_OF_ONE + " volumes Mounted, p50",
                        MeasureUnit.SECONDS,
                        results.p50)
                .against("the bare mounts, p50", bare.p50)
                .detail("a durable append, p50", MeasureUnit.SECONDS, append.p50.median()));
        run.report(Figure.of("the same, p99", MeasureUnit.SECONDS, results.p99)
                .against("the bare mounts, p99", bare.p99)
                .detail("a durable append, p99", MeasureUnit.SECONDS, append.p99.median()));
        run.report(Figure.of("deleted, and all of them gone, p50", MeasureUnit.SECONDS, results.goneP50)
                .against("the bare mounts, p50", bare.goneP50));
    }

    private static void reportCrowd(BenchmarkRun run, int volumes, MountResults results, MountResults empty) {
        String among = ", " + volumes + " volumes mounted";
        run.report(Figure.of("Mounted, p50" + among, MeasureUnit.SECONDS, results.p50)
                .against("an empty node", empty.p50)
                .goal(Goal.ratioBelow(GOAL)));
        run.report(Figure.of("Mounted, p99" + among, MeasureUnit.SECONDS, results.p99)
                .against("an empty node", empty.p99));
        run.report(Figure.of("gone, p50" + among, MeasureUnit.SECONDS, results.goneP50)
                .against("an empty node", empty.goneP50)
                .goal(Goal.ratioBelow(GOAL)));
    }
}
