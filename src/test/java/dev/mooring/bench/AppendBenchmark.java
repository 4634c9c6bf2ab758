package dev.mooring.bench;

import dev.mooring.log.LogPosition;
import dev.mooring.model.Draft;
import dev.mooring.world.Proposal;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Compares durable appends of the ledger, the bare disk and etcd on the same file system, alternating within each round
 * because the speed of disks varies.
 */
final class AppendBenchmark implements Benchmark {
    private static final int[] WRITERS = {1, 32, 256};

    /** Warm-up in rounds: the etcd client is ten times as fast after compilation. */
    private static final int WARM_UP = 6;

    /** Slices of a round with one writer, which is compared with the bare disk, whose speed varies within seconds. */
    private static final int SLICES_OF_ONE_WRITER = 4;

    private static final int OBJECTS = 4096;
    private static final int JSON_BYTES = 400;
    private static final double ONE_WRITER_GOAL = 0.8;
    private static final double MANY_WRITERS_GOAL = 3;

    @Override
    public String name() {
        return "append";
    }

    @Override
    public String title() {
        return "Durable appends of objects of " + JSON_BYTES + " bytes";
    }

    /** Measurements for one number of writers. */
    private static final class Series {
        final int writers;
        final Measurements ledger = new Measurements();
        final Measurements etcd = new Measurements();
        final Measurements disk = new Measurements();
        final Measurements diskP50 = new Measurements();
        final Measurements p50 = new Measurements();
        final Measurements p99 = new Measurements();
        final Measurements cpu = new Measurements();
        final Measurements etcdP50 = new Measurements();
        final Measurements etcdP99 = new Measurements();
        final Measurements etcdCpu = new Measurements();
        final Measurements etcdClientCpu = new Measurements();

        Series(int writers) {
            this.writers = writers;
        }
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        Duration time = Duration.ofMillis(run.choose(2000, 400));
        int rounds = run.choose(5, 3);
        List<Series> all = new ArrayList<>();
        for (int writers : WRITERS) {
            all.add(new Series(writers));
        }
        ExecutorService loop = Executors.newSingleThreadExecutor(r -> RunningLedger.daemon(r, "bench-writers"));
        try (SyncLoop disk = new SyncLoop(run.newDirectory("disk").resolve("file"));
                EtcdServer etcd = new EtcdServer(run.newDirectory("etcd"));
                Client client = Client.builder().endpoints(etcd.url()).build();
                RunningLedger ledger = RunningLedger.open(run.newDirectory("ledger"))) {
            Targets targets = new Targets(ledger, client.getKVClient(), etcd, disk, loop);
            run.step("warming up");
            targets.warmUp(time.multipliedBy(WARM_UP));
            for (int round = 0; round < rounds; round++) {
                for (Series series : all) {
                    run.step(series.writers + " writers, round " + (round + 1) + " of " + rounds);
                    int slices = series.writers == 1 ? SLICES_OF_ONE_WRITER : 1;
                    for (int slice = 0; slice < slices; slice++) {
                        targets.round(series, time.dividedBy(slices), (round + slice) % 2 == 0);
                    }
                }
            }
        } finally {
            loop.shutdown();
        }
        all.forEach(series -> report(run, series));
    }

    private static void report(BenchmarkRun run, Series series) {
        String writers = series.writers == 1 ? "1 writer" : series.writers + " writers";
        Goal diskGoal = series.writers == 1 ? Goal.ratioAtLeast(ONE_WRITER_GOAL) : Goal.NONE;
        Goal etcdGoal = series.writers == 256 ? Goal.ratioAtLeast(MANY_WRITERS_GOAL) : Goal.NONE;
        run.report(Figure.of(writers, MeasureUnit.PER_SECOND, series.ledger)
                .against("the disk's syncs", series.disk)
                .goal(diskGoal)
                .detail("p50", MeasureUnit.SECONDS, series.p50.median())
                .detail("p99", MeasureUnit.SECONDS, series.p99.median())
                .detail("CPU per event", MeasureUnit.SECONDS, series.cpu.median())
                .detail("disk: p50", MeasureUnit.SECONDS, series.diskP50.median()));
        run.report(Figure.of(writers, MeasureUnit.PER_SECOND, series.ledger)
                .against("etcd puts", series.etcd)
                .goal(etcdGoal)
                .detail("etcd: p50", MeasureUnit.SECONDS, series.etcdP50.median())
                .detail("p99", MeasureUnit.SECONDS, series.etcdP99.median())
                .detail("CPU per put", MeasureUnit.SECONDS, series.etcdCpu.median())
                .detail("and of its client", MeasureUnit.SECONDS, series.etcdClientCpu.median()));
    }

    /** The alternating targets. */
    private static final class Targets {
        private final RunningLedger ledger;
        private final KV kv;
        private final EtcdServer etcd;
        private final SyncLoop disk;
        private final ExecutorService loop;
        private final Draft[] drafts = new Draft[OBJECTS];
        private final ByteSequence[] keys = new ByteSequence[OBJECTS];
        private final ByteSequence[] values = new ByteSequence[OBJECTS];
        private final int recordBytes;

        Targets(RunningLedger ledger, KV kv, EtcdServer etcd, SyncLoop disk, ExecutorService loop) throws IOException {
            this.ledger = ledger;
            this.kv = kv;
            this.etcd = etcd;
            this.disk = disk;
            this.loop = loop;
            Random random = new Random(1);
            for (int i = 0; i < OBJECTS; i++) {
                drafts[i] = SampleObjects.draft(i, JSON_BYTES, random);
                keys[i] = ByteSequence.from(drafts[i].key().text(), StandardCharsets.UTF_8);
                values[i] = ByteSequence.from(drafts[i].at(100_000).json());
            }
            LogPosition before = ledger.log().end();
            ledger.commit(put(0, 0)).toCompletableFuture().join();
            recordBytes = (int) ledger.log().bytesSince(before);
        }

        void warmUp(Duration time) throws Exception {
            int most = WRITERS[WRITERS.length - 1];
            etcd(new Series(most), time);
            ledger(new Series(most), time.dividedBy(2));
            round(new Series(1), time.dividedBy(WARM_UP), true);
        }

        /**
         * Runs all targets once; measurements close in time are compared, and the first target alternates between
         * rounds.
         */
        void round(Series into, Duration time, boolean ledgerFirst) throws Exception {
            if (ledgerFirst) {
                ledger(into, time);
                disk(into, time.dividedBy(2));
                etcd(into, time);
            } else {
                etcd(into, time);
                disk(into, time.dividedBy(2));
                ledger(into, time);
            }
        }

        private void disk(Series into, Duration time) throws IOException {
            Measurements seconds = disk.run(recordBytes, time);
            into.disk.add(seconds.values().size() / seconds.sum());
            into.diskP50.add(seconds.median());
        }

        private void ledger(Series into, Duration time) throws InterruptedException {
            ClosedLoop.Result result = ClosedLoop.run((w, n) -> ledger.commit(put(w, n)), loop, into.writers, time);
            into.ledger.add(result.perSecond());
            into.p50.add(result.latencySeconds(50));
            into.p99.add(result.latencySeconds(99));
            into.cpu.add(result.cpuSecondsPerOperation());
        }

        private void etcd(Series into, Duration time) throws Exception {
            long cpu = CpuTime.ofProcessNanos(etcd.pid());
            ClosedLoop.Result result = ClosedLoop.run(
                    (w, n) -> kv.put(keys[object(w, n)], values[object(w, n)]), loop, into.writers, time);
            long etcdCpu = CpuTime.ofProcessNanos(etcd.pid()) - cpu;
            into.etcd.add(result.perSecond());
            into.etcdP50.add(result.latencySeconds(50));
            into.etcdP99.add(result.latencySeconds(99));
            into.etcdCpu.add(etcdCpu / 1e9 / result.operations());
            into.etcdClientCpu.add(result.cpuSecondsPerOperation());
        }

        private Proposal put(int writer, long sequence) {
            return Proposal.by("bench", "ClaimChanged")
                    .put(drafts[object(writer, sequence)])
                    .build();
        }

        private static int object(int writer, long sequence) {
            return (int) ((writer * 16L + sequence) % OBJECTS);
        }
    }
}
