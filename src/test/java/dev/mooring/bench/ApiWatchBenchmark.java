package dev.mooring.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;

/**
 * From a change through the API to watchers with a TLS connection each, of a server that is a process of its own. What the changes
 * themselves cost is measured while nobody watches, and taken off.
 */
final class ApiWatchBenchmark implements Benchmark {
    private static final int[] WATCHERS = {200, 1000};
    private static final int WRITERS = 32;
    private static final double CPU_GOAL_SECONDS = 8e-6;

    /** At a steady pace, so many lines go out each second, however many watchers there are. */
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
    public void run(Run run) throws Exception {
        for (int watchers : WATCHERS) {
            try (ApiServer server = ApiServer.apiAlone(run.newDirectory("api-watch"));
                    ApiClients clients = new ApiClients(server.access());
                    ApiLoad load = new ApiLoad(server, clients, WRITERS)) {
                ApiRequest create = ApiRequest.create(server.access());
                load.run(connection -> create, WRITERS);
                new Stage(run, server, clients, load, watchers).measure();
            }
        }
    }

    /** What a series of events cost, all together. */
    private static final class Cost {
        final Rounds seconds = new Rounds();
        final Rounds cpu = new Rounds();
        final Rounds ownCpu = new Rounds();

        void add(Stopwatch watch, double serverCpu) {
            ownCpu.add(watch.cpuSeconds());
            seconds.add(watch.seconds());
            cpu.add(serverCpu);
        }
    }

    private interface Events {
        void send(ApiLoad load) throws IOException, InterruptedException;
    }

    /** One server and a number of watchers. */
    private static final class Stage {
        private final Run run;
        private final ApiServer server;
        private final ApiClients clients;
        private final ApiLoad load;
        private final int watchers;
        private final int count;
        private final int rounds;
        private final ApiLoad.Requests relabels;
        private double lineLength;

        Stage(Run run, ApiServer server, ApiClients clients, ApiLoad load, int watchers) {
            this.run = run;
            this.server = server;
            this.clients = clients;
            this.load = load;
            this.watchers = watchers;
            this.count = watchers > 500 ? run.choose(100, 50) : run.choose(500, 100);
            this.rounds = run.choose(3, 2);
            ApiRequest[] relabel = new ApiRequest[WRITERS];
            Arrays.setAll(relabel, i -> ApiRequest.relabel(server.access(), ApiRequest.claim(i)));
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
            ApiRequest watch = ApiRequest.get(server.access(), ApiRequest.CLAIMS + "?watch=true", ApiRequest.JSON);
            try (ApiAudience audience = new ApiAudience(clients, server.port(), watch, watchers, WRITERS)) {
                long before = audience.bytesEach();
                send(server, load, audience, burst, new Cost());
                lineLength = (double) (audience.bytesEach() - before) / count;
                try (ApiBareProcess bare = new ApiBareProcess(server.certificate(), (int) lineLength);
                        ApiLoad bareLoad = new ApiLoad(bare, clients, WRITERS);
                        ApiAudience bareAudience = new ApiAudience(clients, bare.port(), watch, watchers, 0)) {
                    watched(burst, audience, bare, bareLoad, bareAudience);
                    watched(steady, audience, bare, bareLoad, bareAudience);
                }
            }
            alone(steady);
            alone(burst);
            report(steady);
            report(burst);
        }

        /** The server and the bare one, in turns. */
        private void watched(
                Series series, ApiAudience audience, ApiBareProcess bare, ApiLoad bareLoad, ApiAudience bareAudience)
                throws Exception {
            run.step(watchers + " watchers " + series.how + ": warming up");
            ApiWarmUp.untilSteady(1, series.warmUps, () -> {
                Cost cost = new Cost();
                send(server, load, audience, series, cost);
                send(bare, bareLoad, bareAudience, series, cost);
                return cost.cpu.sum();
            });
            for (int round = 0; round < rounds; round++) {
                run.step(watchers + " watchers " + series.how + ", round " + (round + 1) + " of " + rounds);
                send(server, load, audience, series, series.watched);
                send(bare, bareLoad, bareAudience, series, series.bare);
            }
        }

        private void send(ApiTarget target, ApiLoad through, ApiAudience audience, Series series, Cost cost)
                throws IOException, InterruptedException {
            audience.expect(count);
            long before = target.cpuNanos();
            Stopwatch watch = new Stopwatch();
            series.events.send(through);
            audience.await();
            cost.add(watch, (target.cpuNanos() - before) / 1e9);
        }

        /** The same changes while nobody watches: last, because by then the server is as warm as it was with watchers. */
        private void alone(Series series) throws IOException, InterruptedException {
            run.step("the same while nobody watches");
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
            Rounds each = new Rounds();
            series.watched.cpu.values().forEach(cpu -> each.add((cpu - changes) / lines));
            run.report(Figure.of(watchers + ", " + series.how, Unit.SECONDS, each)
                    .against("bare TLS to as many", series.bare.cpu.times(1 / lines))
                    .goal(Goal.below(CPU_GOAL_SECONDS))
                    .note("is", "CPU of the server for each line that a watcher gets")
                    .detail("with that of the changes", Unit.SECONDS, series.watched.cpu.median() / lines)
                    .detail("one change", Unit.SECONDS, changes / count)
                    .detail("generator's", Unit.SECONDS, series.watched.ownCpu.median() / lines)
                    .note("events", Integer.toString(count))
                    .detail("all delivered in", Unit.SECONDS, series.watched.seconds.median())
                    .detail("a line", Unit.BYTES, lineLength)
                    .note("cut off", "0"));
        }
    }

    /** Events that come in one way, and what they cost. */
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
