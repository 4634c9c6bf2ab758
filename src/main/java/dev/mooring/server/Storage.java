package dev.mooring.server;

import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import dev.mooring.api.resource.KindTable;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.log.Encryption;
import dev.mooring.log.RealDisk;
import dev.mooring.log.Retention;
import dev.mooring.model.Cause;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.world.History;
import dev.mooring.world.Ledger;
import dev.mooring.world.LedgerVerticle;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.SnapshotVerticle;
import dev.mooring.world.Snapshotter;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import dev.mooring.world.WorldLimits;
import dev.mooring.world.WorldRestore;
import io.micrometer.core.instrument.MeterRegistry;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's {@link StateStore} and its verticles. Holds the lock on the data directory. */
final class Storage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Storage.class);

    private final Settings settings;
    private final MeterRegistry meters;
    private final ExecutorService watcherExecutor =
            Executors.newSingleThreadExecutor(task -> new Thread(task, "mooring-watches"));
    private final StateStore stateStore;

    Storage(Settings settings, ProcessEnvironment environment, MeterRegistry meters) throws IOException {
        this.settings = settings;
        this.meters = meters;
        try {
            stateStore = StateStore.open(
                    new RealDisk(),
                    options(settings, encryption(settings, environment)),
                    environment.clock(),
                    meters,
                    watcherExecutor);
        } catch (WorldRestore.WorldTooLargeException e) {
            watcherExecutor.shutdown();
            throw MemoryBudget.ofThisProcess().tooSmall(e);
        } catch (IOException | RuntimeException e) {
            watcherExecutor.shutdown();
            throw e;
        }
        LOG.atInfo()
                .addKeyValue("revision", stateStore.ledger().world().revision())
                .addKeyValue("objects", stateStore.ledger().world().size())
                .log("Opened event log");
    }

    private static Encryption encryption(Settings settings, ProcessEnvironment environment) throws IOException {
        Optional<Path> file = settings.log().encryptionKeyFile();
        if (file.isEmpty()) {
            return Encryption.NONE;
        }
        Encryption encryption = Encryption.with(EncryptionKeyFile.read(file.get()), environment.secureRandom());
        if (file.get().toRealPath().startsWith(settings.data().toRealPath())) {
            LOG.atWarn()
                    .addKeyValue("keyFile", file.get())
                    .log("Encryption key file is in the data directory: a copy of it contains Secrets and their keys");
        }
        LOG.atInfo().addKeyValue("keyId", encryption.keyId()).log("Enabled encryption of Secrets in the event log");
        return encryption;
    }

    private static StateStore.Options options(Settings settings, Encryption encryption) {
        Settings.LogSettings log = settings.log();
        MemoryBudget memory = MemoryBudget.ofThisProcess();
        return new StateStore.Options(
                settings.data().resolve(DataDirectory.LOG),
                log.segmentBytes(),
                new Ledger.Limits(
                        settings.ledger().maxPending(),
                        log.batchMaxRecords(),
                        log.batchMaxBytes(),
                        limits(settings.quota(), memory)),
                settings.watch().bufferEvents(),
                memory.recentEvents(settings.watch().bufferBytes()),
                encryption,
                memory.restorable(),
                History.Limits.of(memory.pastWorlds()));
    }

    private static WorldLimits limits(Settings.QuotaSettings quota, MemoryBudget memory) {
        return new WorldLimits(
                memory.userObjects(),
                memory.objects(),
                new WorldLimits.NamespaceQuota(
                        quota.namespaceObjects().orElse(Integer.MAX_VALUE),
                        quota.namespaceBytes().map(memory::namespaceObjects).orElse(Long.MAX_VALUE),
                        KindTable.QUOTA_RESOURCES,
                        KindTable.QUOTA_EXEMPT,
                        KindTable.QUOTA_PUBLISHED));
    }

    /** Returns the memory health check. Reads, deletions and other shrinking writes are served even if it fails. */
    private static HealthCheck.HealthResult memory(Ledger ledger) {
        World world = ledger.world();
        WorldLimits limits = ledger.worldLimits();
        return limits.isNearlyFull(world)
                ? HealthCheck.HealthResult.degraded("objects use " + 100 * world.bytes() / limits.userBytes()
                        + " % of their memory limit; writes that exceed it are rejected: delete objects,"
                        + " or start with a larger heap (-Xmx)")
                : HealthCheck.HealthResult.ok();
    }

    StateStore stateStore() {
        return stateStore;
    }

    /** Starts the verticles; returns when proposals are accepted. */
    void start(Supervisor supervisor, HealthChecks healthChecks) {
        Ledger ledger = stateStore.ledger();
        healthChecks.add(HealthCheck.ready(
                "log",
                () -> ledger.readOnly()
                        .map(HealthCheck.HealthResult::failing)
                        .orElseGet(HealthCheck.HealthResult::ok)));
        healthChecks.add(HealthCheck.ready("memory", () -> memory(ledger)));
        Await.result(supervisor.supervise(
                ChildSpec.required("ledger", supervision -> new LedgerVerticle(ledger, supervision::reportFailure))));
        ChildSpec snapshots = ChildSpec.required(
                "snapshots", supervision -> new SnapshotVerticle(snapshotter(), supervision::reportFailure));
        Await.result(supervisor.supervise(snapshots
                .withPartialLoss()
                .withOptions(new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER))));
    }

    private Snapshotter snapshotter() {
        Settings.LogSettings log = settings.log();
        Retention retention = new Retention(log.retentionMaxAge(), log.retentionMaxBytes());
        return new Snapshotter(
                stateStore.log(),
                stateStore.ledger(),
                stateStore.hub(),
                new Snapshotter.Policy(log.snapshotEveryBytes(), log.snapshotEvery(), retention),
                Schedulers.io(),
                meters);
    }

    /** Deletes the previous node of this machine and its Pods, which no longer run. */
    void removeNode(String node, Instant now) {
        World world = stateStore.ledger().world();
        ObjectDeleter deleter = new ObjectDeleter("mooring", Cause.none());
        world.stream(Scope.resource("pods"))
                .map(Pod::of)
                .filter(pod -> pod.nodeName().equals(node))
                .flatMap(pod -> deleter.delete(pod.stored(), pod.copy(), now).stream())
                .forEach(this::commit);
        world.get(Node.key(node))
                .map(found ->
                        Proposal.by("mooring", "NodeDeleted").remove(found).build())
                .ifPresent(this::commit);
        LOG.atInfo().addKeyValue("node", node).log("Deleted the previous node of this machine and its Pods");
    }

    /** Commits a change at the start of the server, before other components write. Blocks. */
    void commit(Proposal proposal) {
        Outcome outcome =
                stateStore.ledger().propose(proposal).toCompletableFuture().join();
        if (!(outcome instanceof Outcome.Committed)) {
            throw new MooringException(ExitCode.FAILED, "Cannot write to the log at the start: " + outcome);
        }
    }

    /** Closes the store; called after the verticles have ended. */
    @Override
    public void close() throws IOException {
        stateStore.ledger().refuseAll(Outcome.Reason.STOPPED, "Mooring was stopped; the write was not applied");
        watcherExecutor.shutdown();
        stateStore.close();
    }
}
