package dev.mooring.bench;

import dev.mooring.log.LogPosition;
import dev.mooring.world.History;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Measures the World at random revisions of a long history. Each revision is requested once, so the World cache of
 * {@link History} is never hit; there are no recent events in memory, because none occurred since the log was opened.
 */
final class TimeTravelBenchmark implements Benchmark {
    private static final double GOAL_SECONDS = 0.2;

    @Override
    public String name() {
        return "time-travel";
    }

    @Override
    public String title() {
        return "The World at a random revision";
    }

    @Override
    public void run(BenchmarkRun run) throws IOException, InterruptedException {
        LargeLog log = run.largeLog();
        Measurements travel = new Measurements();
        Measurements read = new Measurements();
        Measurements cpu = new Measurements();
        int warmUp = run.choose(20, 8);
        int count = run.choose(100, 20);
        try (RunningLedger running = RunningLedger.open(log.directory())) {
            History history = running.history();
            List<Long> snapshots = running.log().snapshots().revisions();
            SequentialRead reader = new SequentialRead();
            Random random = new Random(2);
            Set<Long> requestedRevisions = new HashSet<>(snapshots);
            while (travel.values().size() < count) {
                long revision = 1L + random.nextInt(log.events() - 1);
                if (!requestedRevisions.add(revision)) {
                    continue;
                }
                boolean measured = requestedRevisions.size() > snapshots.size() + warmUp;
                run.step(measured ? (travel.values().size() + 1) + " of " + count : "warming up");
                Stopwatch watch = new Stopwatch();
                World world = history.at(revision);
                double seconds = watch.seconds();
                double cpuSeconds = watch.cpuSeconds();
                if (world.revision() != revision) {
                    throw new IllegalStateException(
                            "History returned " + world + " instead of the World at revision " + revision);
                }
                double reading = readTheSame(reader, running, log, snapshots, revision);
                if (measured) {
                    travel.add(seconds);
                    cpu.add(cpuSeconds);
                    read.add(reading);
                }
            }
            run.report(Figure.of(
                            "median of " + count + " revisions", MeasureUnit.SECONDS, Measurements.of(travel.median()))
                    .against("reading the same bytes", Measurements.of(read.median()))
                    .goal(Goal.below(GOAL_SECONDS))
                    .detail("p10", MeasureUnit.SECONDS, travel.percentile(10))
                    .detail("p99", MeasureUnit.SECONDS, travel.percentile(99))
                    .detail("slowest", MeasureUnit.SECONDS, travel.max())
                    .detail("CPU", MeasureUnit.SECONDS, cpu.median())
                    .note("events", Integer.toString(log.events()))
                    .note("snapshots", Integer.toString(snapshots.size())));
        }
    }

    /**
     * Returns the seconds to read the newest snapshot before a revision and about as much log as lies between the two.
     */
    private static double readTheSame(
            SequentialRead reader, RunningLedger running, LargeLog log, List<Long> snapshots, long revision)
            throws IOException {
        long base = snapshots.stream().filter(it -> it <= revision).reduce(0L, Math::max);
        LogPosition from =
                base == 0 ? LogPosition.BEGINNING : running.log().snapshots().position(base);
        long logBytes = (revision - base) * log.logBytes() / log.events();
        long start = System.nanoTime();
        if (base != 0) {
            Path snapshot = log.snapshot(base);
            reader.read(snapshot, 0, Files.size(snapshot));
        }
        log.read(reader, from, logBytes);
        return (System.nanoTime() - start) / 1e9;
    }
}
