package dev.mooring.bench;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Durable creations through the API of a server that is a process of its own, and bare puts of the same bytes into etcd, in turns. */
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
        return "Durable creations of claims of " + ApiRequest.body(0).length + " bytes over TLS";
    }

    private static final class Seen {
        final Rounds rate = new Rounds();
        final Rounds p50 = new Rounds();
        final Rounds p99 = new Rounds();
        final Rounds cpu = new Rounds();
        final Rounds ownCpu = new Rounds();
        final Rounds etcdRate = new Rounds();
        final Rounds etcdP50 = new Rounds();
        final Rounds etcdP99 = new Rounds();
        final Rounds etcdCpu = new Rounds();
        final Rounds etcdOwnCpu = new Rounds();
    }

    @Override
    public void run(Run run) throws Exception {
        Duration time = Duration.ofMillis(run.choose(3000, 1000));
        int rounds = run.choose(5, 3);
        Seen seen = new Seen();
        ExecutorService loop = Executors.newSingleThreadExecutor(r -> RunningLedger.daemon(r, "bench-etcd-clients"));
        try (EtcdServer etcd = new EtcdServer(run.newDirectory("etcd"));
                Client client = Client.builder().endpoints(etcd.url()).build();
                ApiServer server = ApiServer.apiAlone(run.newDirectory("api-create"));
                ApiClients clients = new ApiClients(server.access());
                ApiLoad load = new ApiLoad(server, clients, CONNECTIONS)) {
            ApiRequest create = ApiRequest.create(server.access());
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
                    create(load, create, time, seen);
                    put(etcd, puts, loop, time, seen);
                } else {
                    put(etcd, puts, loop, time, seen);
                    create(load, create, time, seen);
                }
            }
            report(run, seen, load.sent(), windows * time.toMillis() / 2e3);
        } finally {
            loop.shutdown();
        }
    }

    private static void create(ApiLoad load, ApiRequest create, Duration time, Seen seen) throws Exception {
        ApiLoad.Result result = load.run(connection -> create, time);
        seen.rate.add(result.perSecond());
        seen.p50.add(result.p50());
        seen.p99.add(result.p99());
        seen.cpu.add(result.serverCpuEach());
        seen.ownCpu.add(result.ownCpuEach());
    }

    private static void put(EtcdServer etcd, EtcdPuts puts, ExecutorService loop, Duration time, Seen seen)
            throws Exception {
        long cpu = CpuTime.ofProcessNanos(etcd.pid());
        ClosedLoop.Result result = ClosedLoop.run(puts, loop, CONNECTIONS, time);
        seen.etcdCpu.add((CpuTime.ofProcessNanos(etcd.pid()) - cpu) / 1e9 / result.operations());
        seen.etcdRate.add(result.perSecond());
        seen.etcdP50.add(result.latencySeconds(50));
        seen.etcdP99.add(result.latencySeconds(99));
        seen.etcdOwnCpu.add(result.cpuSecondsPerOperation());
    }

    private static void report(Run run, Seen seen, long claims, double warmUpSeconds) {
        run.report(Figure.of(CONNECTIONS + " connections", Unit.PER_SECOND, seen.rate)
                .against("etcd puts", seen.etcdRate)
                .goal(Goal.ratioAtLeast(RATE_GOAL))
                .detail("p50", Unit.SECONDS, seen.p50.median())
                .detail("p99", Unit.SECONDS, seen.p99.median())
                .detail("etcd: p50", Unit.SECONDS, seen.etcdP50.median())
                .detail("etcd: p99", Unit.SECONDS, seen.etcdP99.median()));
        run.report(Figure.of("CPU of the server, each", Unit.SECONDS, seen.cpu)
                .against("etcd's, each put", seen.etcdCpu)
                .goal(Goal.below(CPU_GOAL_SECONDS))
                .detail("and of the generator", Unit.SECONDS, seen.ownCpu.median())
                .detail("etcd: of its client", Unit.SECONDS, seen.etcdOwnCpu.median())
                .detail("warm-up", Unit.SECONDS, warmUpSeconds)
                .note("claims at the end", Long.toString(claims)));
    }

    /** The same bytes under keys as kube-apiserver would choose them, 32 in flight. For the loop of the writers. */
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
                    ByteSequence.from(ETCD_PREFIX + ApiRequest.claim(mine), StandardCharsets.US_ASCII),
                    ByteSequence.from(ApiRequest.body(mine)));
        }
    }
}
