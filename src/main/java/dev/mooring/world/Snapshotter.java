package dev.mooring.world;

import dev.mooring.log.FileEventLog;
import dev.mooring.log.LogPosition;
import dev.mooring.log.Retention;
import dev.mooring.model.Scope;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.CompositeDisposable;
import io.reactivex.rxjava3.disposables.Disposable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes snapshots of the World in the background, then applies the retention and writes the indexes of segments.
 *
 * <p>A snapshot is due after a given amount of log or time since the last one, if there are new events. If the last
 * snapshot was larger than that amount of log, the next one waits until as much log has been written: so snapshots
 * never cause more writes than the log itself.
 */
public final class Snapshotter {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshotter.class);

    /**
     * When a snapshot is due.
     *
     * @param everyBytes after this much log
     * @param every after this much time
     */
    public record Policy(long everyBytes, Duration every, Retention retention) {}

    /** Retry delay after a failure, so that a full disk is not written to continuously. */
    private static final Duration RETRY = Duration.ofMinutes(1);

    private final FileEventLog log;
    private final Ledger ledger;
    private final WatchHub hub;
    private final Policy policy;
    private final Scheduler scheduler;
    private final Timer written;
    private final Counter failed;

    private LogPosition last = LogPosition.BEGINNING;
    private long lastSize;
    private boolean timerRuns;
    private boolean waitsForRetry;

    public Snapshotter(
            FileEventLog log, Ledger ledger, WatchHub hub, Policy policy, Scheduler scheduler, MeterRegistry registry) {
        this.log = log;
        this.ledger = ledger;
        this.hub = hub;
        this.policy = policy;
        this.scheduler = scheduler;
        this.written = Timer.builder("mooring.snapshot")
                .description("Time to write a snapshot of the World")
                .register(registry);
        this.failed = Counter.builder("mooring.snapshot.failures")
                .description("Failed snapshot writes")
                .register(registry);
    }

    /**
     * Starts writing snapshots, until disposed.
     *
     * @param onFailure receives the failure when events can no longer be followed
     */
    public Disposable start(Consumer<Throwable> onFailure) throws IOException {
        synchronized (this) {
            List<Long> existing = log.snapshots().revisions();
            if (!existing.isEmpty()) {
                long newest = existing.get(existing.size() - 1);
                last = log.snapshots().position(newest);
                lastSize = log.snapshots().size(newest);
            }
            timerRuns = false;
            waitsForRetry = false;
        }
        Scheduler.Worker timer = scheduler.createWorker();
        timer.schedule(() -> {
            indexExisting();
            consider(timer);
        });
        Disposable watch = hub.events(ledger.world().revision(), Scope.all(), scheduler)
                .filter(event -> event.revision() == hub.published())
                .subscribe(event -> consider(timer), onFailure::accept);
        return new CompositeDisposable(timer, watch);
    }

    /** Indexes the segments of a log that an earlier version wrote. */
    private void indexExisting() {
        try {
            log.storeIndexes();
        } catch (IOException e) {
            LOG.atWarn()
                    .log("Failed to index the log; the first search in its history takes longer: {}", e.getMessage());
        }
    }

    private synchronized void consider(Scheduler.Worker timer) {
        boolean nothingNew = ledger.world().revision() == last.revision();
        if (nothingNew || waitsForRetry) {
            return;
        }
        try {
            if (log.bytesSince(last) >= Math.max(policy.everyBytes(), lastSize)) {
                write();
            } else if (!timerRuns) {
                timerRuns = true;
                timer.schedule(() -> due(timer), policy.every().toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (IOException e) {
            retryLater(timer, e);
        }
    }

    private synchronized void due(Scheduler.Worker timer) {
        timerRuns = false;
        waitsForRetry = false;
        try {
            write();
        } catch (IOException e) {
            retryLater(timer, e);
        }
    }

    private void retryLater(Scheduler.Worker timer, IOException e) {
        failed.increment();
        LOG.atWarn()
                .setCause(e)
                .log("Failed to write snapshot; no data is lost, but startup takes longer; retrying in {}", RETRY);
        waitsForRetry = true;
        timer.schedule(() -> due(timer), RETRY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Writes a snapshot of the current World, if there are new events, and applies the retention. */
    public synchronized void write() throws IOException {
        Ledger.Checkpoint now = ledger.checkpoint();
        World world = now.world();
        if (world.revision() == last.revision()) {
            return;
        }
        Timer.Sample sample = Timer.start();
        log.snapshots().write(now.position(), world.size(), world.list(Scope.all()));
        sample.stop(written);
        last = now.position();
        lastSize = log.snapshots().size(world.revision());
        LOG.atInfo()
                .addKeyValue("revision", world.revision())
                .addKeyValue("objects", world.size())
                .addKeyValue("bytes", lastSize)
                .log("Wrote snapshot");
        log.applyRetention(policy.retention());
        log.storeIndexes();
    }
}
