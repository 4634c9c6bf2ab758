package dev.mooring.bench;

import dev.mooring.log.FileEventLog;
import dev.mooring.log.LogPosition;
import dev.mooring.log.RealDisk;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * Measures opening a log with a long history from its newest snapshot. The result in a new JVM counts, because a start
 * has one.
 */
final class OpenBenchmark implements Benchmark {
    private static final double GOAL_SECONDS = 3;

    @Override
    public String name() {
        return "open";
    }

    @Override
    public String title() {
        return "Opening a large log from its newest snapshot";
    }

    @Override
    public void run(BenchmarkRun run) throws IOException, InterruptedException {
        LargeLog log = run.largeLog();
        Parts parts = Parts.of(log);
        SequentialRead reader = new SequentialRead();
        Measurements cold = new Measurements();
        Measurements warm = new Measurements();
        Measurements read = new Measurements();
        int rounds = run.choose(5, 3);
        for (int round = 0; round < rounds; round++) {
            run.step("round " + (round + 1) + " of " + rounds);
            long start = System.nanoTime();
            reader.read(parts.snapshot(), 0, parts.snapshotBytes());
            log.read(reader, parts.from(), parts.tailBytes());
            read.add((System.nanoTime() - start) / 1e9);
            cold.add(OpenOnce.secondsInNewJvm(log.directory(), log.events()));
            warm.add(OpenOnce.seconds(log.directory(), log.events()));
        }
        run.report(Figure.of("in a new JVM", MeasureUnit.SECONDS, cold)
                .against("reading the same bytes", read)
                .goal(Goal.below(GOAL_SECONDS))
                .note("events in the log", Integer.toString(log.events()))
                .detail("snapshot", MeasureUnit.BYTES, (double) parts.snapshotBytes())
                .detail("log behind it", MeasureUnit.BYTES, (double) parts.tailBytes()));
        run.report(
                Figure.of("in a JVM that is warm", MeasureUnit.SECONDS, warm).against("reading the same bytes", read));
    }

    /** The data that opening reads. */
    private record Parts(Path snapshot, long snapshotBytes, LogPosition from, long tailBytes) {
        static Parts of(LargeLog log) throws IOException {
            try (FileEventLog opened = FileEventLog.open(
                    new RealDisk(),
                    log.directory(),
                    RunningLedger.SEGMENT_BYTES,
                    Clock.systemUTC(),
                    new WorldRestore())) {
                List<Long> revisions = opened.snapshots().revisions();
                if (revisions.isEmpty()) {
                    throw new IllegalStateException("The log is too small for a snapshot");
                }
                long newest = revisions.get(revisions.size() - 1);
                LogPosition from = opened.snapshots().position(newest);
                Path snapshot = log.snapshot(newest);
                return new Parts(snapshot, Files.size(snapshot), from, opened.bytesSince(from));
            }
        }
    }
}
