package dev.mooring.cli;

import dev.mooring.api.Health;
import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import dev.mooring.cli.config.LogSettings;
import dev.mooring.cli.config.Settings;
import dev.mooring.cli.supervise.ChildSpec;
import dev.mooring.cli.supervise.Supervisor;
import dev.mooring.log.RealDisk;
import dev.mooring.log.Retention;
import dev.mooring.world.Ledger;
import dev.mooring.world.LedgerVerticle;
import dev.mooring.world.Outcome;
import dev.mooring.world.SnapshotVerticle;
import dev.mooring.world.Snapshotter;
import dev.mooring.world.Spine;
import io.micrometer.core.instrument.MeterRegistry;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import java.io.IOException;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's {@link Spine}, with the verticles that keep it going. Holds the lock on the data directory. */
final class Storage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Storage.class);

    private final Settings settings;
    private final MeterRegistry meters;
    private final ExecutorService wakesWatchers =
            Executors.newSingleThreadExecutor(task -> new Thread(task, "mooring-watches"));
    private final Spine spine;

    Storage(Settings settings, Clock clock, MeterRegistry meters) throws IOException {
        this.settings = settings;
        this.meters = meters;
        try {
            spine = Spine.open(new RealDisk(), options(settings), clock, meters, wakesWatchers);
        } catch (IOException | RuntimeException e) {
            wakesWatchers.shutdown();
            throw e;
        }
        LOG.atInfo()
                .addKeyValue("revision", spine.ledger().world().revision())
                .addKeyValue("objects", spine.ledger().world().size())
                .log("The event log is open");
    }

    private static Spine.Options options(Settings settings) {
        LogSettings log = settings.log();
        return new Spine.Options(
                settings.data().resolve(LogCommand.DIRECTORY),
                log.segmentBytes(),
                new Ledger.Limits(settings.ledger().maxPending(), log.batchMaxRecords(), log.batchMaxBytes()),
                settings.watch().bufferEvents(),
                settings.watch().bufferBytes());
    }

    Spine spine() {
        return spine;
    }

    /** Starts the verticles; returns when proposals are taken. */
    void start(Supervisor supervisor, HealthChecks healthChecks) {
        Ledger ledger = spine.ledger();
        healthChecks.add(HealthCheck.ready(
                "log", () -> ledger.readOnly().map(Health::failing).orElseGet(Health::ok)));
        Await.result(supervisor.supervise(
                ChildSpec.required("ledger", supervision -> new LedgerVerticle(ledger, supervision::died))));
        ChildSpec snapshots =
                ChildSpec.required("snapshots", supervision -> new SnapshotVerticle(snapshotter(), supervision::died));
        Await.result(supervisor.supervise(snapshots
                .losingItsPart()
                .withOptions(new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER))));
    }

    private Snapshotter snapshotter() {
        LogSettings log = settings.log();
        Retention retention = new Retention(log.retentionMaxAge(), log.retentionMaxBytes());
        return new Snapshotter(
                spine.log(),
                spine.ledger(),
                spine.hub(),
                new Snapshotter.Policy(log.snapshotEveryBytes(), log.snapshotEvery(), retention),
                Schedulers.io(),
                meters);
    }

    /** To be called when the verticles have ended. */
    @Override
    public void close() throws IOException {
        spine.ledger().refuseAll(Outcome.Reason.STOPPED, "Mooring was stopped; this did not happen");
        wakesWatchers.shutdown();
        spine.close();
    }
}
