package dev.mooring.bench;

import dev.mooring.cli.ServerAccess;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.options.GetOption;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Reads through the API of a separate server process: claims by name, and lists of all claims in several forms;
 * alternates with an etcd that has as many values of the same size.
 */
final class ApiReadBenchmark implements Benchmark {
    private static final int CONNECTIONS = 32;
    private static final int CLAIMS = 10_000;
    private static final int MAX_ANSWER_BYTES = 64 << 20;
    private static final String PREFIX = "/registry/persistentvolumeclaims/default/";

    /** One in a hundred claims has this label. */
    private static final String ONE_PERCENT = "?labelSelector=app.kubernetes.io%2Finstance%3Dteam-42";

    @Override
    public String name() {
        return "api-read";
    }

    @Override
    public String title() {
        return "Reading " + CLAIMS + " claims over TLS";
    }

    /** A request and its measurements. */
    private static final class Series {
        final String name;
        final RequestTemplate request;
        final Measurements value = new Measurements();
        final Measurements cpu = new Measurements();
        final Measurements ownCpu = new Measurements();
        final Measurements p99 = new Measurements();
        double bytes;

        Series(String name, RequestTemplate request) {
            this.name = name;
            this.request = request;
        }

        void add(double measured, ApiLoad.Result result) {
            value.add(measured);
            cpu.add(result.serverCpuEach());
            ownCpu.add(result.ownCpuEach());
            p99.add(result.p99());
            bytes = (double) result.bytes() / result.operations();
        }
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        ExecutorService loop = Executors.newSingleThreadExecutor(r -> RunningLedger.daemon(r, "bench-etcd-clients"));
        try (EtcdServer etcd = new EtcdServer(run.newDirectory("etcd"));
                Client client = Client.builder()
                        .endpoints(etcd.url())
                        .maxInboundMessageSize(MAX_ANSWER_BYTES)
                        .build();
                ApiServer server = ApiServer.apiOnly(run.newDirectory("api-read"));
                ApiClients clients = new ApiClients(server.access());
                ApiLoad many = new ApiLoad(server, clients, CONNECTIONS);
                ApiLoad one = new ApiLoad(server, clients, 1)) {
            ServerAccess access = server.access();
            run.step("creating claims");
            RequestTemplate create = RequestTemplate.create(access);
            many.run(connection -> create, CLAIMS);
            Series byName = new Series(
                    "get by name, " + CONNECTIONS + " connections", get(access, '/' + RequestTemplate.CLAIM));
            ApiLoad.Result first = one.run(connection -> byName.request, 1);
            Etcd yardstick = new Etcd(etcd, client.getKVClient(), loop);
            yardstick.fill((int) first.bytes());
            gets(run, many, byName, yardstick);
            lists(run, one, access, yardstick);
        } finally {
            loop.shutdown();
        }
    }

    private static RequestTemplate get(ServerAccess access, String rest) {
        return RequestTemplate.get(access, RequestTemplate.CLAIMS + rest, RequestTemplate.JSON);
    }

    private static void gets(BenchmarkRun run, ApiLoad load, Series byName, Etcd etcd) throws Exception {
        Duration time = Duration.ofMillis(run.choose(2000, 500));
        run.step("by name, warming up");
        ApiWarmUp.untilSteady(
                run.choose(10, 2),
                run.choose(15, 5),
                () -> load.run(connection -> byName.request, time, CLAIMS).serverCpuEach());
        Measurements rates = new Measurements();
        Measurements cpu = new Measurements();
        etcd.gets(time.multipliedBy(run.choose(4, 2)), new Measurements(), new Measurements());
        int rounds = run.choose(5, 3);
        for (int round = 0; round < rounds; round++) {
            run.step("by name, round " + (round + 1) + " of " + rounds);
            ApiLoad.Result result = load.run(connection -> byName.request, time, CLAIMS);
            byName.add(result.perSecond(), result);
            etcd.gets(time, rates, cpu);
        }
        run.report(Figure.of(byName.name, MeasureUnit.PER_SECOND, byName.value)
                .against("etcd gets", rates)
                .detail("CPU of the server, each", MeasureUnit.SECONDS, byName.cpu.median())
                .detail("of etcd", MeasureUnit.SECONDS, cpu.median())
                .detail("generator's", MeasureUnit.SECONDS, byName.ownCpu.median())
                .detail("p99", MeasureUnit.SECONDS, byName.p99.median())
                .detail("an answer", MeasureUnit.BYTES, byName.bytes));
    }

    private static void lists(BenchmarkRun run, ApiLoad load, ServerAccess access, Etcd etcd) throws Exception {
        List<Series> all = List.of(
                new Series("list, JSON", get(access, "")),
                new Series("list, Table", RequestTemplate.get(access, RequestTemplate.CLAIMS, RequestTemplate.TABLE)),
                new Series("list, a label that 1 % have", get(access, ONE_PERCENT)));
        int count = run.choose(20, 5);
        int rounds = run.choose(5, 3);
        for (Series series : all) {
            run.step(series.name + ", warming up");
            ApiWarmUp.untilSteady(
                    run.choose(12, 2),
                    run.choose(18, 5),
                    () -> load.run(connection -> series.request, count).serverCpuEach());
        }
        Measurements seconds = new Measurements();
        Measurements cpu = new Measurements();
        etcd.ranges(run.choose(60, 10), new Measurements(), new Measurements());
        for (int round = 0; round < rounds; round++) {
            run.step("lists, round " + (round + 1) + " of " + rounds);
            for (Series series : all) {
                ApiLoad.Result result = load.run(connection -> series.request, count);
                series.add(result.p50(), result);
            }
            etcd.ranges(count, seconds, cpu);
        }
        for (Series series : all) {
            run.report(Figure.of(series.name, MeasureUnit.SECONDS, series.value)
                    .against("etcd, range of all", seconds)
                    .detail("CPU of the server, each", MeasureUnit.SECONDS, series.cpu.median())
                    .detail("of etcd", MeasureUnit.SECONDS, cpu.median())
                    .detail("generator's", MeasureUnit.SECONDS, series.ownCpu.median())
                    .detail("an answer", MeasureUnit.BYTES, series.bytes));
        }
    }

    /** An etcd with as many values of the same size. */
    private static final class Etcd {
        private final EtcdServer server;
        private final KV kv;
        private final ExecutorService loop;
        private final ByteSequence[] keys = new ByteSequence[CLAIMS];

        Etcd(EtcdServer server, KV kv, ExecutorService loop) {
            this.server = server;
            this.kv = kv;
            this.loop = loop;
            for (int i = 0; i < CLAIMS; i++) {
                keys[i] = ByteSequence.from(PREFIX + RequestTemplate.claim(i), StandardCharsets.US_ASCII);
            }
        }

        void fill(int bytes) {
            ByteSequence value = ByteSequence.from("x".repeat(bytes), StandardCharsets.US_ASCII);
            List<CompletableFuture<?>> puts = new ArrayList<>();
            for (ByteSequence key : keys) {
                puts.add(kv.put(key, value));
            }
            CompletableFuture.allOf(puts.toArray(new CompletableFuture<?>[0])).join();
        }

        void gets(Duration time, Measurements rates, Measurements cpu) throws Exception {
            long before = CpuTime.ofProcessNanos(server.pid());
            ClosedLoop.Result result = ClosedLoop.run(
                    (writer, sequence) -> kv.get(keys[(int) ((writer * 311L + sequence) % CLAIMS)]),
                    loop,
                    CONNECTIONS,
                    time);
            rates.add(result.perSecond());
            cpu.add((CpuTime.ofProcessNanos(server.pid()) - before) / 1e9 / result.operations());
        }

        void ranges(int count, Measurements seconds, Measurements cpu) throws Exception {
            GetOption all = GetOption.builder().isPrefix(true).build();
            ByteSequence prefix = ByteSequence.from(PREFIX, StandardCharsets.US_ASCII);
            Measurements each = new Measurements();
            long before = CpuTime.ofProcessNanos(server.pid());
            for (int i = 0; i < count; i++) {
                Stopwatch watch = new Stopwatch();
                int found = kv.get(prefix, all).get().getKvs().size();
                each.add(watch.seconds());
                if (found != CLAIMS) {
                    throw new IllegalStateException("etcd has " + found + " values instead of " + CLAIMS);
                }
            }
            seconds.add(each.median());
            cpu.add((CpuTime.ofProcessNanos(server.pid()) - before) / 1e9 / count);
        }
    }
}
