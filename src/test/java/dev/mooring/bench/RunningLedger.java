package dev.mooring.bench;

import dev.mooring.log.FileEventLog;
import dev.mooring.log.RealDisk;
import dev.mooring.world.History;
import dev.mooring.world.Ledger;
import dev.mooring.world.LedgerMetrics;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.WatchHub;
import dev.mooring.world.WorldRestore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Log, World and ledger, assembled like in the server, with its default settings (conf/mooring.yaml) and metrics. */
final class RunningLedger implements AutoCloseable {
    static final long SEGMENT_BYTES = 64L << 20;

    private static final Ledger.Limits LIMITS = new Ledger.Limits(10_000, 4096, 512 << 10);
    private static final int RECENT_EVENTS = 16_384;
    private static final long RECENT_BYTES = 32L << 20;

    private final FileEventLog log;
    private final WatchHub hub;
    private final Ledger ledger;
    private final ExecutorService dispatcher = Executors.newSingleThreadExecutor(r -> daemon(r, "bench-dispatcher"));
    private final Thread thread;
    private volatile Throwable failure;
    private volatile boolean stopped;

    private RunningLedger(Path directory) throws IOException {
        WorldRestore restore = new WorldRestore();
        log = FileEventLog.open(new RealDisk(), directory, SEGMENT_BYTES, Clock.systemUTC(), restore);
        hub = new WatchHub(log, RECENT_EVENTS, RECENT_BYTES, dispatcher);
        LedgerMetrics metrics = new LedgerMetrics(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
        ledger = new Ledger(log, restore.world(), hub, Clock.systemUTC(), LIMITS, metrics);
        thread = daemon(this::work, "mooring-ledger");
    }

    static RunningLedger open(Path directory) throws IOException, InterruptedException {
        RunningLedger running = new RunningLedger(directory);
        running.thread.start();
        running.started.await();
        return running;
    }

    private final CountDownLatch started = new CountDownLatch(1);

    private void work() {
        try {
            ledger.run(started::countDown, () -> stopped);
        } catch (Exception | Error e) {
            failure = e;
            started.countDown();
            ledger.refuseAll(Outcome.Reason.STOPPED, "The ledger's thread ended: " + e);
        }
    }

    FileEventLog log() {
        return log;
    }

    WatchHub hub() {
        return hub;
    }

    Ledger ledger() {
        return ledger;
    }

    History history() {
        return new History(log, ledger, hub, History.Limits.DEFAULT);
    }

    /** Proposes; any outcome other than committed is a failure. */
    CompletionStage<Outcome> commit(Proposal proposal) {
        return ledger.propose(proposal).thenApply(outcome -> {
            if (outcome instanceof Outcome.Committed) {
                return outcome;
            }
            throw new IllegalStateException("Proposal was not committed: " + outcome);
        });
    }

    static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        stopped = true;
        ledger.wakeUp();
        thread.join(TimeUnit.SECONDS.toMillis(10));
        dispatcher.shutdown();
        log.close();
        if (failure != null) {
            throw new IllegalStateException("The ledger's thread failed", failure);
        }
    }
}
