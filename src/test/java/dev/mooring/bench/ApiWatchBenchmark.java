package dev.mooring.bench;

import dev.mooring.cli.client.ServerAccess;
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
            try (ApiServer server = new ApiServer(run.newDirectory("api-watch"));
                    ApiClients clients = new ApiClients(server.access());
                    ApiLoad load = new ApiLoad(server, clients, WRITERS)) {
                ApiRequest create = ApiRequest.create(server.access());
                load.run(connection -> create, WRITERS);
                new Stage(run, server, clients, load, watchers).measure();
            }
        }
    }

    /** What a series of events cost. */
    private static final class Cost {
        final Rounds seconds = new Rounds();
        final Rounds cpu = new Rounds();
        final Rounds ownCpu = new Rounds();

        /** For each line that reached a watcher. */
        void add(Stopwatch watch, double serverCpu, long lines) {
            ownCpu.add(watch.cpuSeconds() / lines);
            seconds.add(watch.seconds());
            cpu.add(serverCpu / lines);
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
        private final ApiRequest[] relabel = new ApiRequest[WRITERS];

        Stage(Run run, ApiServer server, ApiClients clients, ApiLoad load, int watchers) {
            this.run = run;
            this.server = server;
            this.clients = clients;
            this.load = load;
            this.watchers = watchers;
            this.count = watchers > 500 ? run.choose(200, 50) : run.choose(500, 100);
            this.rounds = run.choose(5, 2);
            Arrays.setAll(relabel, i -> ApiRequest.relabel(server.access(), ApiRequest.claim(i)));
        }

        void measure() throws Exception {
            run.step(watchers + " watchers: what the changes cost");
            ApiWarmUp.untilSteady(
                    run.choose(15, 4),
                    () -> load.run(connection -> relabel[connection], run.choose(5000, 500))
                            .serverCpuEach());
            Events steady = target -> target.paced(
                    connection -> relabel[connection],
                    count,
                    Duration.ofNanos(1_000_000_000L * watchers / LINES_PER_SECOND));
            Events burst = target -> target.run(connection -> relabel[connection], count);
            double steadyCost = alone(steady);
            double burstCost = alone(burst);
            run.step(watchers + " watchers: connecting");
            ServerAccess access = server.access();
            ApiRequest watch = ApiRequest.get(access, ApiRequest.CLAIMS + "?watch=true", ApiRequest.JSON);
            try (ApiAudience audience = new ApiAudience(clients, server.port(), watch, watchers, WRITERS)) {
                long before = audience.bytesEach();
                series(server, load, audience, burst, new Cost(), 0);
                int lineLength = (int) (audience.bytesEach() - before) / count;
                try (ApiBareProcess bare = new ApiBareProcess(server.certificate(), lineLength);
                        ApiLoad bareLoad = new ApiLoad(bare, clients, WRITERS);
                        ApiAudience bareAudience = new ApiAudience(clients, bare.port(), watch, watchers, 0)) {
                    Contenders both = new Contenders(audience, bare, bareLoad, bareAudience);
                    both.warmUp(burst, "bursts");
                    both.report("at a steady pace", steady, steadyCost, lineLength);
                    both.report("in bursts of " + count, burst, burstCost, lineLength);
                }
            }
        }

        /** What one change costs the server while nobody watches. */
        private double alone(Events events) throws IOException, InterruptedException {
            Rounds each = new Rounds();
            for (int round = -1; round < rounds; round++) {
                long before = server.cpuNanos();
                events.send(load);
                if (round >= 0) {
                    each.add((server.cpuNanos() - before) / 1e9 / count);
                }
            }
            return each.median();
        }

        private void series(
                ApiTarget target, ApiLoad through, ApiAudience audience, Events events, Cost cost, double costOfChange)
                throws IOException, InterruptedException {
            audience.expect(count);
            long before = target.cpuNanos();
            Stopwatch watch = new Stopwatch();
            events.send(through);
            audience.await();
            double used = (target.cpuNanos() - before) / 1e9;
            cost.add(watch, used - count * costOfChange, (long) count * audience.size());
        }

        /** The server and the bare one, in turns. */
        private final class Contenders {
            private final ApiAudience audience;
            private final ApiBareProcess bare;
            private final ApiLoad bareLoad;
            private final ApiAudience bareAudience;

            Contenders(ApiAudience audience, ApiBareProcess bare, ApiLoad bareLoad, ApiAudience bareAudience) {
                this.audience = audience;
                this.bare = bare;
                this.bareLoad = bareLoad;
                this.bareAudience = bareAudience;
            }

            void warmUp(Events events, String what) throws Exception {
                run.step(watchers + " watchers: warming up, " + what);
                ApiWarmUp.untilSteady(run.choose(12, 3), () -> {
                    Cost cost = new Cost();
                    series(server, load, audience, events, cost, 0);
                    series(bare, bareLoad, bareAudience, events, new Cost(), 0);
                    return cost.cpu.median();
                });
            }

            void report(String how, Events events, double costOfChange, int lineLength) throws Exception {
                warmUp(events, how);
                Cost cost = new Cost();
                Cost bareCost = new Cost();
                for (int round = 0; round < rounds; round++) {
                    run.step(watchers + " watchers " + how + ", round " + (round + 1) + " of " + rounds);
                    series(server, load, audience, events, cost, costOfChange);
                    series(bare, bareLoad, bareAudience, events, bareCost, 0);
                }
                run.report(Figure.of(watchers + ", " + how, Unit.SECONDS, cost.cpu)
                        .against("bare TLS to as many", bareCost.cpu)
                        .goal(Goal.below(CPU_GOAL_SECONDS))
                        .note("is", "CPU of the server for each line")
                        .detail("generator's", Unit.SECONDS, cost.ownCpu.median())
                        .detail("taken off for each change", Unit.SECONDS, costOfChange)
                        .note("events", Integer.toString(count))
                        .detail("in", Unit.SECONDS, cost.seconds.median())
                        .detail("a line", Unit.BYTES, lineLength)
                        .note("cut off", "0"));
            }
        }
    }
}
