package dev.mooring.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures the replay of an event log without snapshots: read, verify, decode, apply. The files are in the page cache.
 */
final class ReplayBenchmark implements Benchmark {
    private static final double GOAL = 1_000_000;
    private static final int WARM_UP = 2;

    @Override
    public String name() {
        return "replay";
    }

    @Override
    public String title() {
        return "Replay of the whole log, from page cache";
    }

    @Override
    public void run(BenchmarkRun run) throws IOException, InterruptedException {
        LargeLog log = run.largeLog();
        List<Path> segments = LargeLog.segments(log.bare());
        SequentialRead reader = new SequentialRead();
        Measurements events = new Measurements();
        Measurements cold = new Measurements();
        Measurements read = new Measurements();
        Measurements share = new Measurements();
        Measurements cpu = new Measurements();
        int rounds = run.choose(7, 3);
        for (int round = -WARM_UP; round < rounds; round++) {
            run.step(round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds);
            double reading = reader.seconds(segments);
            Stopwatch watch = new Stopwatch();
            double replaying = OpenOnce.seconds(log.bare(), log.events());
            if (round >= 0) {
                events.add(log.events() / replaying);
                read.add(log.logBytes() / reading);
                share.add(reading / replaying);
                cpu.add(watch.cpuSeconds() / log.events());
            }
        }
        for (int round = 0; round < run.choose(3, 1); round++) {
            run.step("in a new JVM");
            cold.add(log.events() / OpenOnce.secondsInNewJvm(log.bare(), log.events()));
        }
        run.report(Figure.of("events", MeasureUnit.PER_SECOND, events)
                .against("only reading the files", MeasureUnit.BYTES_PER_SECOND, read, share)
                .goal(Goal.atLeast(GOAL))
                .detail("log", MeasureUnit.BYTES, (double) log.logBytes())
                .detail("replayed", MeasureUnit.BYTES_PER_SECOND, events.median() * log.logBytes() / log.events())
                .detail("CPU per event", MeasureUnit.SECONDS, cpu.median())
                .note("events", Integer.toString(log.events())));
        run.report(Figure.of("events, in a new JVM", MeasureUnit.PER_SECOND, cold));
    }
}
