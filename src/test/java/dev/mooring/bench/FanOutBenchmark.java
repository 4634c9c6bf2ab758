package dev.mooring.bench;

import dev.mooring.world.WorldEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToDoubleFunction;

/**
 * Measures events from the ledger to many watchers in the same process: in bursts, where one wake-up serves many
 * events; one by one, where each event wakes each watcher; and with watchers of another resource, which should cost
 * nothing.
 */
final class FanOutBenchmark implements Benchmark {
    private static final double OTHERS_GOAL = 1.1;
    private static final int WRITERS = 256;

    @Override
    public String name() {
        return "fan-out";
    }

    @Override
    public String title() {
        return "Events to " + FanOutFixture.WATCHERS + " watchers in the process";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        try (RunningLedger ledger = RunningLedger.open(run.newDirectory("fan-out"))) {
            FanOutFixture fixture = new FanOutFixture(ledger);
            bursts(run, fixture);
            oneByOne(run, fixture);
            toOthers(run, fixture);
        }
    }

    /** Seconds and processor time per delivery of each round. */
    private record Cost(Measurements seconds, Measurements cpu) {
        Cost() {
            this(new Measurements(), new Measurements());
        }

        void add(Stopwatch watch, int events) {
            cpu.add(watch.cpuSeconds() / events / FanOutFixture.WATCHERS);
            seconds.add(watch.seconds());
        }

        Measurements perSecond(int events) {
            Measurements rates = new Measurements();
            seconds.values().forEach(taken -> rates.add((double) events * FanOutFixture.WATCHERS / taken));
            return rates;
        }
    }

    private static void bursts(BenchmarkRun run, FanOutFixture fixture) throws Exception {
        int burst = run.choose(4000, 1000);
        Cost hub = new Cost();
        Cost queues = new Cost();
        int rounds = run.choose(7, 3);
        for (int round = -2; round < rounds; round++) {
            run.step("bursts, " + (round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds));
            long before = fixture.newest();
            WatcherGroup watchers = new WatcherGroup(FanOutFixture.WATCHERS, before);
            watchers.expect(before + burst);
            try (AutoCloseable watching = fixture.subscribe(watchers)) {
                Stopwatch watch = new Stopwatch();
                fixture.commitAtOnce(burst);
                watchers.await();
                (round < 0 ? new Cost() : hub).add(watch, burst);
            }
            List<WorldEvent> events = fixture.replay(before, burst);
            WatcherGroup second = new WatcherGroup(FanOutFixture.WATCHERS, before);
            second.expect(before + burst);
            try (QueuePerWatcher queuePerWatcher = new QueuePerWatcher(second)) {
                Stopwatch watch = new Stopwatch();
                events.forEach(queuePerWatcher::publish);
                second.await();
                (round < 0 ? new Cost() : queues).add(watch, burst);
            }
        }
        run.report(Figure.of("deliveries, bursts of " + burst + " events", MeasureUnit.PER_SECOND, hub.perSecond(burst))
                .against("a queue per watcher", queues.perSecond(burst))
                .detail("CPU per delivery", MeasureUnit.SECONDS, hub.cpu().median())
                .detail("of the queues", MeasureUnit.SECONDS, queues.cpu().median()));
    }

    /** Measures single events: each reaches all watchers before the next one is proposed. */
    private static void oneByOne(BenchmarkRun run, FanOutFixture fixture) throws Exception {
        int count = run.choose(300, 100);
        int rounds = run.choose(7, 3);
        run.step("one by one, warming up");
        throughHub(fixture, 3 * count);
        List<SingleEventCosts> hub = new ArrayList<>();
        List<SingleEventCosts> queues = new ArrayList<>();
        for (int round = -1; round < rounds; round++) {
            run.step("one by one, " + (round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds));
            long before = fixture.newest();
            SingleEventCosts viaHub = throughHub(fixture, count);
            SingleEventCosts viaQueues = throughQueues(fixture.replay(before, count));
            if (round >= 0) {
                hub.add(viaHub);
                queues.add(viaQueues);
            }
        }
        Measurements hubMedians = each(hub, steps -> steps.seconds().median());
        Measurements queueMedians = each(queues, steps -> steps.seconds().median());
        run.report(Figure.of("one event, from commit to all", MeasureUnit.SECONDS, hubMedians)
                .against("a queue per watcher", queueMedians)
                .detail(
                        "p99",
                        MeasureUnit.SECONDS,
                        each(hub, steps -> steps.seconds().percentile(99)).median())
                .detail(
                        "CPU per delivery, with its commit",
                        MeasureUnit.SECONDS,
                        each(hub, SingleEventCosts::cpuPerDelivery).median())
                .detail(
                        "of the queues",
                        MeasureUnit.SECONDS,
                        each(queues, SingleEventCosts::cpuPerDelivery).median()));
    }

    private static Measurements each(List<SingleEventCosts> rounds, ToDoubleFunction<SingleEventCosts> value) {
        return Measurements.of(rounds.stream().mapToDouble(value).toArray());
    }

    /**
     * Cost of single events. The processor time is measured for all of them together, because its clock is too coarse
     * for one.
     */
    private record SingleEventCosts(Measurements seconds, double cpuPerDelivery) {
        static SingleEventCosts of(Measurements seconds, Stopwatch whole) {
            return new SingleEventCosts(
                    seconds, whole.cpuSeconds() / seconds.values().size() / FanOutFixture.WATCHERS);
        }
    }

    private static SingleEventCosts throughHub(FanOutFixture fixture, int count) throws Exception {
        Measurements seconds = new Measurements();
        WatcherGroup watchers = new WatcherGroup(FanOutFixture.WATCHERS, fixture.newest());
        try (AutoCloseable watching = fixture.subscribe(watchers)) {
            Stopwatch whole = new Stopwatch();
            for (int i = 0; i < count; i++) {
                watchers.expect(fixture.newest() + 1);
                CompletableFuture<Long> committed = fixture.commit(i)
                        .thenApply(outcome -> System.nanoTime())
                        .toCompletableFuture();
                watchers.await();
                long now = System.nanoTime();
                seconds.add(Math.max(0, now - committed.join()) / 1e9);
            }
            return SingleEventCosts.of(seconds, whole);
        }
    }

    private static SingleEventCosts throughQueues(List<WorldEvent> events) throws Exception {
        Measurements seconds = new Measurements();
        WatcherGroup watchers =
                new WatcherGroup(FanOutFixture.WATCHERS, events.get(0).revision() - 1);
        try (QueuePerWatcher queuePerWatcher = new QueuePerWatcher(watchers)) {
            Stopwatch whole = new Stopwatch();
            for (WorldEvent event : events) {
                watchers.expect(event.revision());
                long start = System.nanoTime();
                queuePerWatcher.publish(event);
                watchers.await();
                seconds.add((System.nanoTime() - start) / 1e9);
            }
            return SingleEventCosts.of(seconds, whole);
        }
    }

    /** Measures the processor time of writes with and without watchers of another resource. */
    private static void toOthers(BenchmarkRun run, FanOutFixture fixture) throws Exception {
        int rounds = run.choose(5, 3);
        Measurements alone = new Measurements();
        Measurements watched = new Measurements();
        Duration time = Duration.ofMillis(run.choose(1500, 500));
        ExecutorService loop = Executors.newSingleThreadExecutor(r -> RunningLedger.daemon(r, "bench-writers"));
        try {
            for (int round = -1; round < rounds; round++) {
                run.step("watching others, " + (round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds));
                double without = write(fixture, loop, time);
                WatcherGroup watchers = new WatcherGroup(FanOutFixture.WATCHERS, fixture.newest());
                double with;
                try (AutoCloseable watching = fixture.subscribeToOther(watchers)) {
                    with = write(fixture, loop, time);
                }
                watchers.requireNoEvents();
                if (round >= 0) {
                    alone.add(without);
                    watched.add(with);
                }
            }
        } finally {
            loop.shutdown();
        }
        run.report(Figure.of("CPU per event, all watch others", MeasureUnit.SECONDS, watched)
                .against("without watchers", alone)
                .goal(Goal.ratioBelow(OTHERS_GOAL)));
    }

    private static double write(FanOutFixture fixture, ExecutorService loop, Duration time)
            throws InterruptedException {
        return ClosedLoop.run((writer, n) -> fixture.commit(writer * 16L + n), loop, WRITERS, time)
                .cpuSecondsPerOperation();
    }
}
