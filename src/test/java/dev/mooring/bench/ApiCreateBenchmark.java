package dev.mooring.bench;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Compares durable creations through the API of a separate server process with bare puts of the same bytes into etcd,
 * alternating.
 */
final class ApiCreateBenchmark implements Benchmark {
    private static final int CONNECTIONS = 32;
    private static final double RATE_GOAL = 1;
    private static final double CPU_GOAL_SECONDS = 130e-6;
    private static final String ETCD_PREFIX = "/registry/persistentvolumeclaims/default/";

    @Override
    public String name() {
        return "api-create";
    }

    @Override
    public String title() {
        return "Durable creations of claims of " + RequestTemplate.body(0).length + " bytes over TLS";
    }

    private static final class CreateResults {
        final Measurements rate = new Measurements();
        final Measurements p50 = new Measurements();
        final Measurements p99 = new Measurements();
        final Measurements cpu = new Measurements();
        final Measurements ownCpu = new Measurements();
        final Measurements etcdRate = new Measurements();
        final Measurements etcdP50 = new Measurements();
        final Measurements etcdP99 = new Measurements();
        final Measurements etcdCpu = new Measurements();
        final Measurements etcdOwnCpu = new Measurements();
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        Duration time = Duration.ofMillis(run.choose(3000, 1000));
        int rounds = run.choose(5, 3);
        CreateResults results = new CreateResults();
        ExecutorService loop = Executors.newSingleThreadExecutor(r -> RunningLedger.daemon(r, "bench-etcd-clients"));
        try (EtcdServer etcd = new EtcdServer(run.newDirectory("etcd"));
                Client client = Client.builder().endpoints(etcd.url()).build();
                ApiServer server = ApiServer.apiOnly(run.newDirectory("api-create"));
                ApiClients clients = new ApiClients(server.access());
                ApiLoad load = new ApiLoad(server, clients, CONNECTIONS)) {
            RequestTemplate create = RequestTemplate.create(server.access());
            EtcdPuts puts = new EtcdPuts(client.getKVClient());
            run.step("warming up");
            int windows = ApiWarmUp.untilSteady(
                    run.choose(20, 4),
                    run.choose(30, 8),
                    () -> load.run(connection -> create, time.dividedBy(2)).serverCpuEach());
            ApiWarmUp.untilSteady(
                    run.choose(6, 2),
                    run.choose(9, 4),
                    () -> ClosedLoop.run(puts, loop, CONNECTIONS, time.dividedBy(2))
                            .cpuSecondsPerOperation());
            for (int round = 0; round < rounds; round++) {
                run.step("round " + (round + 1) + " of " + rounds);
                if (round % 2 == 0) {
                    create(load, create, time, results);
                    put(etcd, puts, loop, time, results);
                } else {
                    put(etcd, puts, loop, time, results);
                    create(load, create, time, results);
                }
            }
            report(run, results, load.sent(), windows * time.toMillis() / 2e3);
        } finally {
            loop.shutdown();
        }
    }

    private static void create(ApiLoad load, RequestTemplate create, Duration time, CreateResults results)
            throws Exception {
        ApiLoad.Result result = load.run(connection -> create, time);
        results.rate.add(result.perSecond());
        results.p50.add(result.p50());
        results.p99.add(result.p99());
        results.cpu.add(result.serverCpuEach());
        results.ownCpu.add(result.ownCpuEach());
    }

    private static void put(EtcdServer etcd, EtcdPuts puts, ExecutorService loop, Duration time, CreateResults results)
            throws Exception {
        long cpu = CpuTime.ofProcessNanos(etcd.pid());
        ClosedLoop.Result result = ClosedLoop.run(puts, loop, CONNECTIONS, time);
        results.etcdCpu.add((CpuTime.ofProcessNanos(etcd.pid()) - cpu) / 1e9 / result.operations());
        results.etcdRate.add(result.perSecond());
        results.etcdP50.add(result.latencySeconds(50));
        results.etcdP99.add(result.latencySeconds(99));
        results.etcdOwnCpu.add(result.cpuSecondsPerOperation());
    }

    private static void report(BenchmarkRun run, CreateResults results, long claims, double warmUpSeconds) {
        run.report(Figure.of(CONNECTIONS + " connections", MeasureUnit.PER_SECOND, results.rate)
                .against("etcd puts", results.etcdRate)
                .goal(Goal.ratioAtLeast(RATE_GOAL))
                .detail("p50", MeasureUnit.SECONDS, results.p50.median())
                .detail("p99", MeasureUnit.SECONDS, results.p99.median())
                .detail("etcd: p50", MeasureUnit.SECONDS, results.etcdP50.median())
                .detail("etcd: p99", MeasureUnit.SECONDS, results.etcdP99.median()));
        run.report(Figure.of("CPU of the server, each", MeasureUnit.SECONDS, results.cpu)
                .against("etcd's, each put", results.etcdCpu)
                .goal(Goal.below(CPU_GOAL_SECONDS))
                .detail("and of the generator", MeasureUnit.SECONDS, results.ownCpu.median())
                .detail("etcd: of its client", MeasureUnit.SECONDS, results.etcdOwnCpu.median())
                .detail("warm-up", MeasureUnit.SECONDS, warmUpSeconds)
                .note("claims at the end", Long.toString(claims)));
    }

    /** Puts the same bytes under keys like those of kube-apiserver, 32 in flight. For the loop of the writers. */
    private static final class EtcdPuts implements ClosedLoop.Target {
        private final KV kv;
        private long number;

        EtcdPuts(KV kv) {
            this.kv = kv;
        }

        @Override
        public CompletionStage<?> write(int writer, long sequence) {
            long mine = number++;
            return kv.put(
                    ByteSequence.from(ETCD_PREFIX + RequestTemplate.claim(mine), StandardCharsets.US_ASCII),
                    ByteSequence.from(RequestTemplate.body(mine)));
        }
    }
}
