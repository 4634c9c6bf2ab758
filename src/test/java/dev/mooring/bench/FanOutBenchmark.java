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
 * From the ledger to many watchers in the process. In bursts, where one waking serves many events; one by one, where each event wakes each
 * watcher; and to watchers of something else, who should not notice and not be noticed.
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
        return "Events to " + FanOutStage.WATCHERS + " watchers in the process";
    }

    @Override
    public void run(Run run) throws Exception {
        try (RunningLedger ledger = RunningLedger.open(run.newDirectory("fan-out"))) {
            FanOutStage stage = new FanOutStage(ledger);
            bursts(run, stage);
            oneByOne(run, stage);
            toOthers(run, stage);
        }
    }

    /** Seconds and processor time per delivery, round by round. */
    private record Cost(Rounds seconds, Rounds cpu) {
        Cost() {
            this(new Rounds(), new Rounds());
        }

        void add(Stopwatch watch, int events) {
            cpu.add(watch.cpuSeconds() / events / FanOutStage.WATCHERS);
            seconds.add(watch.seconds());
        }

        Rounds perSecond(int events) {
            Rounds rates = new Rounds();
            seconds.values().forEach(taken -> rates.add((double) events * FanOutStage.WATCHERS / taken));
            return rates;
        }
    }

    private static void bursts(Run run, FanOutStage stage) throws Exception {
        int burst = run.choose(4000, 1000);
        Cost hub = new Cost();
        Cost queues = new Cost();
        int rounds = run.choose(7, 3);
        for (int round = -2; round < rounds; round++) {
            run.step("bursts, " + (round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds));
            long before = stage.newest();
            Audience audience = new Audience(FanOutStage.WATCHERS, before);
            audience.expect(before + burst);
            try (AutoCloseable watching = stage.admit(audience)) {
                Stopwatch watch = new Stopwatch();
                stage.commitAtOnce(burst);
                audience.await();
                (round < 0 ? new Cost() : hub).add(watch, burst);
            }
            List<WorldEvent> events = stage.again(before, burst);
            Audience second = new Audience(FanOutStage.WATCHERS, before);
            second.expect(before + burst);
            try (Mailboxes mailboxes = new Mailboxes(second)) {
                Stopwatch watch = new Stopwatch();
                events.forEach(mailboxes::deliver);
                second.await();
                (round < 0 ? new Cost() : queues).add(watch, burst);
            }
        }
        run.report(Figure.of("deliveries, bursts of " + burst + " events", Unit.PER_SECOND, hub.perSecond(burst))
                .against("a queue per watcher", queues.perSecond(burst))
                .detail("CPU per delivery", Unit.SECONDS, hub.cpu().median())
                .detail("of the queues", Unit.SECONDS, queues.cpu().median()));
    }

    /** Each event reaches all watchers before the next one is proposed. */
    private static void oneByOne(Run run, FanOutStage stage) throws Exception {
        int count = run.choose(300, 100);
        int rounds = run.choose(7, 3);
        run.step("one by one, warming up");
        throughHub(stage, 3 * count);
        List<Steps> hub = new ArrayList<>();
        List<Steps> queues = new ArrayList<>();
        for (int round = -1; round < rounds; round++) {
            run.step("one by one, " + (round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds));
            long before = stage.newest();
            Steps viaHub = throughHub(stage, count);
            Steps viaQueues = throughQueues(stage.again(before, count));
            if (round >= 0) {
                hub.add(viaHub);
                queues.add(viaQueues);
            }
        }
        Rounds hubMedians = each(hub, steps -> steps.seconds().median());
        Rounds queueMedians = each(queues, steps -> steps.seconds().median());
        run.report(Figure.of("one event, from commit to all", Unit.SECONDS, hubMedians)
                .against("a queue per watcher", queueMedians)
                .detail(
                        "p99",
                        Unit.SECONDS,
                        each(hub, steps -> steps.seconds().percentile(99)).median())
                .detail(
                        "CPU per delivery, with its commit",
                        Unit.SECONDS,
                        each(hub, Steps::cpuPerDelivery).median())
                .detail(
                        "of the queues",
                        Unit.SECONDS,
                        each(queues, Steps::cpuPerDelivery).median()));
    }

    private static Rounds each(List<Steps> rounds, ToDoubleFunction<Steps> value) {
        return Rounds.of(rounds.stream().mapToDouble(value).toArray());
    }

    /** What single events took. The clock of processor time is too coarse for one: it is taken for all of them. */
    private record Steps(Rounds seconds, double cpuPerDelivery) {
        static Steps of(Rounds seconds, Stopwatch whole) {
            return new Steps(seconds, whole.cpuSeconds() / seconds.values().size() / FanOutStage.WATCHERS);
        }
    }

    private static Steps throughHub(FanOutStage stage, int count) throws Exception {
        Rounds seconds = new Rounds();
        Audience audience = new Audience(FanOutStage.WATCHERS, stage.newest());
        try (AutoCloseable watching = stage.admit(audience)) {
            Stopwatch whole = new Stopwatch();
            for (int i = 0; i < count; i++) {
                audience.expect(stage.newest() + 1);
                CompletableFuture<Long> committed =
                        stage.commit(i).thenApply(outcome -> System.nanoTime()).toCompletableFuture();
                audience.await();
                long now = System.nanoTime();
                seconds.add(Math.max(0, now - committed.join()) / 1e9);
            }
            return Steps.of(seconds, whole);
        }
    }

    private static Steps throughQueues(List<WorldEvent> events) throws Exception {
        Rounds seconds = new Rounds();
        Audience audience = new Audience(FanOutStage.WATCHERS, events.get(0).revision() - 1);
        try (Mailboxes mailboxes = new Mailboxes(audience)) {
            Stopwatch whole = new Stopwatch();
            for (WorldEvent event : events) {
                audience.expect(event.revision());
                long start = System.nanoTime();
                mailboxes.deliver(event);
                audience.await();
                seconds.add((System.nanoTime() - start) / 1e9);
            }
            return Steps.of(seconds, whole);
        }
    }

    /** The processor time of writing, with and without an audience that is interested in another resource. */
    private static void toOthers(Run run, FanOutStage stage) throws Exception {
        int rounds = run.choose(5, 3);
        Rounds alone = new Rounds();
        Rounds watched = new Rounds();
        Duration time = Duration.ofMillis(run.choose(1500, 500));
        ExecutorService loop = Executors.newSingleThreadExecutor(r -> RunningLedger.daemon(r, "bench-writers"));
        try {
            for (int round = -1; round < rounds; round++) {
                run.step("watching others, " + (round < 0 ? "warming up" : "round " + (round + 1) + " of " + rounds));
                double without = write(stage, loop, time);
                Audience audience = new Audience(FanOutStage.WATCHERS, stage.newest());
                double with;
                try (AutoCloseable watching = stage.admitToOther(audience)) {
                    with = write(stage, loop, time);
                }
                audience.requireSilence();
                if (round >= 0) {
                    alone.add(without);
                    watched.add(with);
                }
            }
        } finally {
            loop.shutdown();
        }
        run.report(Figure.of("CPU per event, all watch others", Unit.SECONDS, watched)
                .against("nobody watches", alone)
                .goal(Goal.ratioBelow(OTHERS_GOAL)));
    }

    private static double write(FanOutStage stage, ExecutorService loop, Duration time) throws InterruptedException {
        return ClosedLoop.run((writer, n) -> stage.commit(writer * 16L + n), loop, WRITERS, time)
                .cpuSecondsPerOperation();
    }
}
