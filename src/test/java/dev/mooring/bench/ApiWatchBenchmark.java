package dev.mooring.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;

/**
 * Measures changes through the API of a separate server process to watchers with a TLS connection each. The cost of the
 * changes themselves is measured without watchers and subtracted.
 */
final class ApiWatchBenchmark implements Benchmark {
    private static final int[] WATCHERS = {200, 1000};
    private static final int WRITERS = 32;
    private static final double CPU_GOAL_SECONDS = 8e-6;

    /** Total lines per second at a steady pace, for any number of watchers. */
    private static final int LINES_PER_SECOND = 40_000;

    @Override
    public String name() {
        return "api-watch";
    }

    @Override
    public String title() {
        return "Events to watchers over TLS";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        for (int watchers : WATCHERS) {
            try (ApiServer server = ApiServer.apiOnly(run.newDirectory("api-watch"));
                    ApiClients clients = new ApiClients(server.access());
                    ApiLoad load = new ApiLoad(server, clients, WRITERS)) {
                RequestTemplate create = RequestTemplate.create(server.access());
                load.run(connection -> create, WRITERS);
                new WatchMeasurement(run, server, clients, load, watchers).measure();
            }
        }
    }

    /** Total cost of a series of events. */
    private static final class Cost {
        final Measurements seconds = new Measurements();
        final Measurements cpu = new Measurements();
        final Measurements ownCpu = new Measurements();

        void add(Stopwatch watch, double serverCpu) {
            ownCpu.add(watch.cpuSeconds());
            seconds.add(watch.seconds());
            cpu.add(serverCpu);
        }
    }

    private interface Events {
        void send(ApiLoad load) throws IOException, InterruptedException;
    }

    /** Measures one server with a number of watchers. */
    private static final class WatchMeasurement {
        private final BenchmarkRun run;
        private final ApiServer server;
        private final ApiClients clients;
        private final ApiLoad load;
        private final int watchers;
        private final int count;
        private final int rounds;
        private final ApiLoad.Requests relabels;
        private double lineLength;

        WatchMeasurement(BenchmarkRun run, ApiServer server, ApiClients clients, ApiLoad load, int watchers) {
            this.run = run;
            this.server = server;
            this.clients = clients;
            this.load = load;
            this.watchers = watchers;
            this.count = watchers > 500 ? run.choose(100, 50) : run.choose(500, 100);
            this.rounds = run.choose(3, 2);
            RequestTemplate[] relabel = new RequestTemplate[WRITERS];
            Arrays.setAll(relabel, i -> RequestTemplate.relabel(server.access(), RequestTemplate.claim(i)));
            this.relabels = connection -> relabel[connection];
        }

        void measure() throws Exception {
            run.step(watchers + " watchers: warming up");
            ApiWarmUp.untilSteady(
                    run.choose(7, 2),
                    run.choose(11, 4),
                    () -> load.run(relabels, run.choose(5000, 500)).serverCpuEach());
            Duration pace = Duration.ofNanos(1_000_000_000L * watchers / LINES_PER_SECOND);
            Series steady =
                    new Series("at a steady pace", run.choose(5, 2), target -> target.paced(relabels, count, pace));
            Series burst =
                    new Series("in bursts of " + count, run.choose(25, 8), target -> target.run(relabels, count));
            RequestTemplate watch =
                    RequestTemplate.get(server.access(), RequestTemplate.CLAIMS + "?watch=true", RequestTemplate.JSON);
            try (ApiWatcherGroup watcherGroup = new ApiWatcherGroup(clients, server.port(), watch, watchers, WRITERS)) {
                long before = watcherGroup.bytesEach();
                send(server, load, watcherGroup, burst, new Cost());
                lineLength = (double) (watcherGroup.bytesEach() - before) / count;
                try (BaselineServerProcess bare = new BaselineServerProcess(server.certificate(), (int) lineLength);
                        ApiLoad bareLoad = new ApiLoad(bare, clients, WRITERS);
                        ApiWatcherGroup bareWatchers = new ApiWatcherGroup(clients, bare.port(), watch, watchers, 0)) {
                    watched(burst, watcherGroup, bare, bareLoad, bareWatchers);
                    watched(steady, watcherGroup, bare, bareLoad, bareWatchers);
                }
            }
            alone(steady);
            alone(burst);
            report(steady);
            report(burst);
        }

        /** Measures the server and the bare server, alternating. */
        private void watched(
                Series series,
                ApiWatcherGroup watcherGroup,
                BaselineServerProcess bare,
                ApiLoad bareLoad,
                ApiWatcherGroup bareWatchers)
                throws Exception {
            run.step(watchers + " watchers " + series.how + ": warming up");
            ApiWarmUp.untilSteady(1, series.warmUps, () -> {
                Cost cost = new Cost();
                send(server, load, watcherGroup, series, cost);
                send(bare, bareLoad, bareWatchers, series, cost);
                return cost.cpu.sum();
            });
            for (int round = 0; round < rounds; round++) {
                run.step(watchers + " watchers " + series.how + ", round " + (round + 1) + " of " + rounds);
                send(server, load, watcherGroup, series, series.watched);
                send(bare, bareLoad, bareWatchers, series, series.bare);
            }
        }

        private void send(
                MeasuredServer target, ApiLoad through, ApiWatcherGroup watcherGroup, Series series, Cost cost)
                throws IOException, InterruptedException {
            watcherGroup.expect(count);
            long before = target.cpuNanos();
            Stopwatch watch = new Stopwatch();
            series.events.send(through);
            watcherGroup.await();
            cost.add(watch, (target.cpuNanos() - before) / 1e9);
        }

        /** Measures the same changes without watchers; last, when the server is as warm as with watchers. */
        private void alone(Series series) throws IOException, InterruptedException {
            run.step("the same without watchers");
            for (int round = -1; round < rounds; round++) {
                long before = server.cpuNanos();
                Stopwatch watch = new Stopwatch();
                series.events.send(load);
                (round < 0 ? new Cost() : series.alone).add(watch, (server.cpuNanos() - before) / 1e9);
            }
        }

        private void report(Series series) {
            double lines = (double) count * watchers;
            double changes = series.alone.cpu.median();
            Measurements each = new Measurements();
            series.watched.cpu.values().forEach(cpu -> each.add((cpu - changes) / lines));
            run.report(Figure.of(watchers + ", " + series.how, MeasureUnit.SECONDS, each)
                    .against("bare TLS to as many", series.bare.cpu.times(1 / lines))
                    .goal(Goal.below(CPU_GOAL_SECONDS))
                    .note("is", "CPU of the server for each line that a watcher gets")
                    .detail("with that of the changes", MeasureUnit.SECONDS, series.watched.cpu.median() / lines)
                    .detail("one change", MeasureUnit.SECONDS, changes / count)
                    .detail("generator's", MeasureUnit.SECONDS, series.watched.ownCpu.median() / lines)
                    .note("events", Integer.toString(count))
                    .detail("all delivered in", MeasureUnit.SECONDS, series.watched.seconds.median())
                    .detail("a line", MeasureUnit.BYTES, lineLength)
                    .note("cut off", "0"));
        }
    }

    /** A way to send events, and its cost. */
    private static final class Series {
        final String how;
        final int warmUps;
        final Events events;
        final Cost watched = new Cost();
        final Cost bare = new Cost();
        final Cost alone = new Cost();

        Series(String how, int warmUps, Events events) {
            this.how = how;
            this.warmUps = warmUps;
            this.events = events;
        }
    }
}
