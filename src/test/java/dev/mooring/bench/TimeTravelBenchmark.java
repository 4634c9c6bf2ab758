package dev.mooring.bench;

import dev.mooring.log.LogPosition;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectDiff;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.SearchOrder;
import dev.mooring.world.EventHistory;
import dev.mooring.world.History;
import dev.mooring.world.World;
import dev.mooring.world.WorldEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Measures the history of single objects in a long log, and the World at random revisions of it. Each revision is
 * requested once, so the World cache of {@link History} has it only by chance as a start; there are no recent events in
 * memory, because none occurred since the log was opened.
 */
final class TimeTravelBenchmark implements Benchmark {
    private static final double WORLD_GOAL_SECONDS = 0.1;
    private static final double OBJECT_GOAL_SECONDS = 0.05;

    @Override
    public String name() {
        return "time-travel";
    }

    @Override
    public String title() {
        return "History of one object, and the World at a random revision";
    }

    @Override
    public void run(BenchmarkRun run) throws IOException, InterruptedException {
        LargeLog log = run.largeLog();
        objects(run, log);
        worlds(run, log);
    }

    /**
     * Measures the events of an object with the differences that each made. The objects are chosen at random; about one
     * in nine does not exist any more, and most had several incarnations.
     */
    private static void objects(BenchmarkRun run, LargeLog log) throws IOException, InterruptedException {
        Measurements reading = new Measurements();
        Measurements firstReading = new Measurements();
        Random random = new Random(3);
        int warmUp = run.choose(50, 10);
        int count = run.choose(200, 40);
        long found = 0;
        try (RunningLedger running = RunningLedger.open(log.directory())) {
            Stopwatch indexing = new Stopwatch();
            running.log().storeIndexes();
            double indexSeconds = indexing.seconds();
            for (int i = 0; i < warmUp + count; i++) {
                run.step("object " + (i + 1) + " of " + (warmUp + count));
                ObjectKey key = SampleObjects.key(random.nextInt(LargeLog.CLAIMS));
                Stopwatch watch = new Stopwatch();
                int events = readHistory(running.history().events(), key);
                if (i == 0) {
                    firstReading.add(watch.seconds());
                }
                if (i >= warmUp) {
                    reading.add(watch.seconds());
                    found += events;
                }
            }
            SequentialRead reader = new SequentialRead();
            Stopwatch watch = new Stopwatch();
            log.read(reader, LogPosition.BEGINNING, log.logBytes());
            run.report(Figure.of("history of one object", MeasureUnit.SECONDS, Measurements.of(reading.median()))
                    .against("reading the whole log", Measurements.of(watch.seconds()))
                    .goal(Goal.below(OBJECT_GOAL_SECONDS))
                    .detail("p99", MeasureUnit.SECONDS, reading.percentile(99))
                    .detail("first after start", MeasureUnit.SECONDS, firstReading.median())
                    .detail("making all indexes once", MeasureUnit.SECONDS, indexSeconds)
                    .note("events of an object", Long.toString(found / count))
                    .note("events", Integer.toString(log.events())));
        }
    }

    private static int readHistory(EventHistory events, ObjectKey key) throws IOException {
        int count = 0;
        EventHistory.EventCursor cursor =
                events.ofObject(key, new EventHistory.RevisionRange(1, Long.MAX_VALUE, SearchOrder.OLDEST_FIRST));
        for (Optional<WorldEvent> event = cursor.next(); event.isPresent(); event = cursor.next()) {
            Change change = event.get().event().changes().get(0);
            if (change.key().equals(key)) {
                count++;
                if (!change.isRemoval()) {
                    ObjectDiff.between(event.get().before(0), Optional.of(change.object()))
                            .summary();
                }
            }
        }
        if (count == 0) {
            throw new IllegalStateException(key + " has no history");
        }
        return count;
    }

    private static void worlds(BenchmarkRun run, LargeLog log) throws IOException, InterruptedException {
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
                    .goal(Goal.below(WORLD_GOAL_SECONDS))
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
